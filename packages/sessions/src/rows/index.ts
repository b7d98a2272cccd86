export { isDamage } from "../errors.ts";
export { noteWriter } from "../ingest/concurrent-writes.ts";
export {
  claimSharedMessages,
  foreignOwners,
  type Owner,
  type RenamedSession,
  removeLeftovers,
} from "../ingest/id-conflicts.ts";
export { type Reattachment, reattachSessions } from "../ingest/reattach-sessions.ts";
export {
  hasDifferentStart,
  idAtClient,
  idWithStart,
  nearestByProject,
  type SessionStart,
  startOf,
} from "../ingest/reused-ids.ts";
export { loadParents, type Parents } from "../read/ancestry.ts";
export {
  type AddedRow,
  type DatedMessage,
  type DatedSession,
  type Merge,
  type MovedMessage,
  mergeMessages,
  mergeSession,
} from "../revisions/merge.ts";
export {
  type LiveMessage,
  liveMessages,
  type StoredMessage,
  sessionItself,
} from "../revisions/reconcile.ts";
export { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
export { checkRow } from "./check-row.ts";
export {
  addedRow,
  movedRow,
  renamedRow,
  rowsOfCarrier,
  sessionRowDigest,
} from "./copied-rows.ts";
export { isAsWritten } from "./message-content.ts";
export {
  isMove,
  type RedactedMessage,
  redactMessageRows,
  redactPartRow,
  redactSessionRow,
  type TextMap,
  windowPieceOf,
  windowRowsOf,
} from "./redact-rows.ts";
export type { Labels } from "./to-rows.ts";
