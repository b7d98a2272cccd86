export { rootOf } from "./ancestry.ts";
export { checkRow } from "./check-row.ts";
export type { At } from "./content.ts";
export { checkContent } from "./content-check.ts";
export { type MaybeCopy, untouchedCopies } from "./copies.ts";
export { type CutView, cutContext } from "./cut-context.ts";
export {
  type BacklogMessage,
  type BacklogText,
  countBacklog,
  countToEmbed,
  type EmbeddingModel,
  type MessageVector,
  prepareEmbeddings,
  readBacklog,
  readStoredModel,
  readTexts,
  writeEmbeddings,
} from "./embeddings.ts";
export {
  DamagedRowError,
  LineageCycleError,
  MessageNotFoundError,
  PartNotFoundError,
  SessionNotFoundError,
  TargetExistsError,
  TargetUnwritableError,
  UnsafePathError,
} from "./errors.ts";
export {
  type GetOptions,
  getMessage,
  getSession,
  type MessageOptions,
  type MessageView,
  type PartSummary,
  type ResponseMode,
  readPages,
  type SessionPage,
  type ShownMessage,
  summarizePart,
} from "./get.ts";
export { fromIndexed } from "./indexed-text.ts";
export { createIngest, type Ingest, type IngestOptions } from "./ingest.ts";
export { loadLineage, rootIds } from "./lineage.ts";
export { type ListedSession, type ListOptions, listSessions } from "./list.ts";
export { inOneForm } from "./one-form.ts";
export type { IngestOutcome, SessionHooks } from "./outcome.ts";
export { projectFilter } from "./project.ts";
export { rebuildWindows } from "./rebuild-windows.ts";
export {
  isMove,
  type RedactedMessage,
  redactMessageRows,
  redactPartRow,
  redactSessionRow,
  type TextMap,
  windowRowsOf,
} from "./redact-rows.ts";
export { type Restored, type RestoreOptions, restore } from "./restore.ts";
export { searchText } from "./search-text.ts";
export { openSessions, type SessionStore, type SessionStoreOptions } from "./session-store.ts";
export { type LabelCounts, type Statistics, statistics } from "./statistics.ts";
export { titles } from "./summaries.ts";
export { searchable, sessionTables } from "./tables.ts";
export { windowText } from "./window-text.ts";
export type { WindowPiece } from "./windows.ts";
export { type WriteOptions, writeFiles } from "./write-files.ts";
