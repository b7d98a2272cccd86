export { isDamage } from "../errors.ts";
export {
  type Begun,
  begunAbove,
  begunOf,
  idAtClient,
  idBegunElsewhere,
  mayBeOther,
} from "../ingest/begun-elsewhere.ts";
export { type Hung, hangBelow } from "../ingest/hang-below.ts";
export {
  claimShared,
  leaveOutLeft,
  type NamedApart,
  type Owner,
  strangersAmong,
} from "../ingest/rivals.ts";
export { loadParents, type Parents } from "../read/ancestry.ts";
export {
  type AddedRow,
  type DatedMessage,
  type DatedSession,
  type MadeRoom,
  type Merge,
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
