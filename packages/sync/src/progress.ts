/** How far an import is. */
export type ImportCounts = {
  readonly sessionsDone: number;
  readonly sessionsTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly messagesRead: number;
};

/** How far a stage is; told often, so whoever listens decides how often to show it. */
export type SyncProgress =
  | {
      readonly stage: "compare";
      /** Stored rows that were compared with what was written, of those there are. */
      readonly rows: number;
      readonly total: number;
    }
  | { readonly stage: "list"; readonly adapter: string; readonly sessions: number }
  | (ImportCounts & {
      readonly stage: "import";
      readonly adapter: string;
      /** The same of this adapter alone; told once before any of its sessions is read. */
      readonly ofAdapter: ImportCounts;
    })
  | {
      readonly stage: "embed";
      /** Messages embedded so far, of those that had no vector of the model. */
      readonly embedded: number;
      /** Of them those whose vectors are stored by then. Where the stage fails, it is told last. */
      readonly stored: number;
      readonly total: number;
      /** Messages that can not be embedded. */
      readonly failed: number;
    }
  | { readonly stage: "update-indexes"; readonly table: string }
  | {
      /** Before a table of an earlier version is folded for the first time. */
      readonly stage: "mend";
      readonly table: string;
      /** Rows stored anew, of those that have to be. */
      readonly rows: number;
      readonly total: number;
    };

/** Of a table that is stored anew; when all of it is, its indexes are next. */
export function mending(
  table: string,
  { rows, total }: { readonly rows: number; readonly total: number },
): SyncProgress {
  return rows < total ? { stage: "mend", table, rows, total } : { stage: "update-indexes", table };
}
