export {
  type Begun,
  begunOf,
  idAtClient,
  idBegunElsewhere,
  mayBeOther,
} from "../ingest/begun-elsewhere.ts";
export {
  type AddedRow,
  type DatedMessage,
  type DatedSession,
  type MadeRoom,
  type Merge,
  mergeMessages,
  mergeSession,
} from "../revisions/merge.ts";
export { type LiveMessage, type StoredMessage, sessionItself } from "../revisions/reconcile.ts";
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
  windowRowsOf,
} from "./redact-rows.ts";
