export type {
  Adapter,
  Fidelity,
  FidelityCount,
  Lineage,
  Origin,
  Reader,
  RestoredFile,
  SessionContent,
  SourceSession,
  Surroundings,
  Writer,
} from "./codec.ts";
export { ContentIds, positionId, secondId, splitText } from "./derived.ts";
export {
  carrierEvent,
  filePart,
  messageEvent,
  reasoningPart,
  sessionEvent,
  systemMessageEvent,
  textPart,
  toolApprovalRequestPart,
  toolApprovalResponsePart,
  toolCallPart,
  toolResultPart,
} from "./events.ts";
export type { MessageInit, PartInit, SessionInit, SourceOptions } from "./events.ts";
export type { Extracted } from "./extracted.ts";
export { type Line, readLines } from "./lines.ts";
export { openRecord, type SourceRecord } from "./source-record.ts";
