/** How far a stage is; told often, so whoever listens decides how often to show it. */
export type SyncProgress =
  | { readonly stage: "list"; readonly adapter: string; readonly sessions: number }
  | {
      readonly stage: "import";
      readonly adapter: string;
      readonly sessionsDone: number;
      readonly sessionsTotal: number;
      readonly bytesDone: number;
      readonly bytesTotal: number;
      readonly messagesRead: number;
    }
  | { readonly stage: "update-indexes"; readonly table: string };
