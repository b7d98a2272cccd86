/** How far an import is. */
export type ImportCounts = {
  readonly sessionsDone: number;
  readonly sessionsTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly messagesRead: number;
};

/** How far a stage is. Reported often; the callback decides how often to show it. */
export type SyncProgress =
  | {
      readonly stage: "compare";
      /** How many stored rows were compared with what was written, and how many there are. */
      readonly rows: number;
      readonly total: number;
    }
  | { readonly stage: "list"; readonly adapter: string; readonly sessions: number }
  | (ImportCounts & {
      readonly stage: "import";
      readonly adapter: string;
      /** The same for this adapter alone; reported once before any of its sessions is read. */
      readonly ofAdapter: ImportCounts;
    })
  | {
      readonly stage: "embed";
      /** How many messages are embedded so far, of those that had no vector of the model. */
      readonly embedded: number;
      /**
       * How many of those have their vectors stored by then. If the stage fails, this is reported
       * last.
       */
      readonly stored: number;
      readonly total: number;
      /** Messages that cannot be embedded. */
      readonly failed: number;
      /** What went wrong, while it is tried again. */
      readonly retrying?: string;
    }
  | { readonly stage: "update-indexes"; readonly table: string }
  | {
      /** Before a table of an earlier version is folded for the first time. */
      readonly stage: "mend";
      readonly table: string;
      /** How many rows were rewritten, of those that have to be. */
      readonly rows: number;
      readonly total: number;
    };

/** The progress of a table that is being rewritten; when all of it is, its indexes are next. */
export function mending(
  table: string,
  { rows, total }: { readonly rows: number; readonly total: number },
): SyncProgress {
  return rows < total ? { stage: "mend", table, rows, total } : { stage: "update-indexes", table };
}
