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
export { ContentIds, fileBytes, positionId, secondId, splitText } from "./derived.ts";
export type { MessageInit, PartInit, SessionInit, SourceOptions } from "./events.ts";
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
export type { Extracted } from "./extracted.ts";
export { type Line, type LineOptions, readLines } from "./lines.ts";
export { type RecordEvent, readRecords } from "./read-records.ts";
export {
  openRecord,
  type RecordOptions,
  type SourceRecord,
  truncatedRecord,
} from "./source-record.ts";
