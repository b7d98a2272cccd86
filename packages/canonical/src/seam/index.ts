export { collectGarbage } from "../collect-garbage.ts";
export { attachedStart } from "./attached-files.ts";
export type {
  Adapter,
  ClientCall,
  CommonCall,
  Course,
  Fidelity,
  FidelityCount,
  GivenImage,
  Held,
  Inherited,
  Installed,
  Lineage,
  Meanings,
  NamedModel,
  NativeParent,
  Origin,
  Reader,
  ReadTool,
  RecordRules,
  RestoredFile,
  Resume,
  SessionContent,
  SharedLines,
  SourceSession,
  Surroundings,
  ToolKind,
  Tools,
  Writer,
} from "./codec.ts";
export {
  ContentIds,
  fileBytes,
  isDerivedFrom,
  positionId,
  secondId,
  splitText,
} from "./derived.ts";
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
export { type FileSource, type FoundFiles, fileReader } from "./file-reader.ts";
export { type Piece, piecesOf } from "./joined-records.ts";
export { KeyOrders } from "./key-orders.ts";
export { type Line, type LineOptions, readLines } from "./lines.ts";
export {
  type FolderEntry,
  folderEntries,
  leadsOut,
  leadsOutReason,
  listFolder,
  withoutFaults,
} from "./list-folder.ts";
export { makeFolder } from "./make-folder.ts";
export { type FileStats, fileMark, measureFiles } from "./measure-files.ts";
export { NumbersByKey } from "./numbers-by-key.ts";
export { PackedEntries } from "./packed-entries.ts";
export { PackedList } from "./packed-list.ts";
export { inPieces } from "./pieces.ts";
export { type RecordEvent, type RecordOutcome, readRecords } from "./read-records.ts";
export { RecordCount } from "./record-count.ts";
export { saidInResult } from "./said-in-result.ts";
export { directoryOf } from "./session-directory.ts";
export {
  fileChunks,
  fileFault,
  isDecoded,
  isGone,
  isSystemError,
  notUtf8,
  reasonOf,
  slashed,
} from "./source-files.ts";
export { carriedRecord, objectAt, objectOf, restOf, sourceOf } from "./source-options.ts";
export {
  openRecord,
  type RecordOptions,
  type SourceRecord,
  truncatedRecord,
} from "./source-record.ts";
export type { Cut, Span } from "./spans.ts";
