export {
  type DiscoverOptions,
  discoverSources,
  type OtherPlaces,
  type Source,
  type SourcePart,
} from "./discover.ts";
export { type EmbedMessagesOptions, type EmbedReport, embedMessages } from "./embed.ts";
export {
  BothFailedError,
  ModelsAtOnceError,
  SourceNotFoundError,
  VectorsInvalidError,
} from "./errors.ts";
export type { EmbedFault, Fault } from "./fault.ts";
export { type FoldIndexesOptions, foldIndexes, type IndexReport } from "./fold.ts";
export { type ImportOptions, importSessions, type PlannedCounts } from "./import.ts";
export type { ImportCounts, SyncProgress } from "./progress.ts";
export { type Accounting, type AdapterReport, hasFaults, type SessionCounts } from "./report.ts";
export {
  previewSync,
  type Stage,
  type SyncOptions,
  type SyncReport,
  stages,
  sync,
} from "./sync.ts";
export type { WriteBackPolicy } from "./write-back.ts";
