export { collectGarbage } from "../collect-garbage.ts";
export { attachedFilesStart } from "./attached-files.ts";
export { chunkLines } from "./chunk-lines.ts";
export type {
  Adapter,
  ClientCall,
  CommonCall,
  ContextImage,
  CopyState,
  Course,
  Environment,
  Fidelity,
  FidelityCount,
  InheritedHistory,
  InstalledSession,
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
  ToolKind,
  Tools,
  Writer,
} from "./codec.ts";
export {
  ContentIds,
  fileBytes,
  isDerivedFrom,
  positionId,
  splitText,
  suffixedId,
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
export { type LineFragment, splitJoinedRecords } from "./joined-records.ts";
export { KeyOrders } from "./key-orders.ts";
export { type Line, type LineOptions, readLines } from "./lines.ts";
export {
  type FolderEntry,
  folderEntries,
  leadsOutside,
  leadsOutsideReason,
  listFolder,
  withoutFaults,
} from "./list-folder.ts";
export { makeFolder } from "./make-folder.ts";
export { type FileStats, fileFingerprint, measureFiles } from "./measure-files.ts";
export { NumbersByKey } from "./numbers-by-key.ts";
export { PackedEntries } from "./packed-entries.ts";
export { PackedList } from "./packed-list.ts";
export { type RecordEvent, type RecordOutcome, readRecords } from "./read-records.ts";
export { RecordCount } from "./record-count.ts";
export { directoryOf } from "./session-directory.ts";
export {
  fileChunks,
  fileFault,
  isDecodedName,
  isGone,
  isLeftAlone,
  isSystemError,
  leftAloneMs,
  notUtf8Reason,
  reasonOf,
  toPosixPath,
} from "./source-files.ts";
export { carriedRecord, objectAt, objectOf, restOf, sourceOf } from "./source-options.ts";
export {
  openRecord,
  type RecordOptions,
  type SourceRecord,
  truncatedRecord,
} from "./source-record.ts";
export type { Span, TextSplitter } from "./spans.ts";
export { userMessageInResult } from "./user-message-in-result.ts";
