export type { RowCounts } from "./copy-range.ts";
export { type CopyOptions, type CopyReport, copySessions } from "./copy-sessions.ts";
export {
  ArchiveDamagedError,
  ArchiveError,
  ArchiveHostileError,
  ArchiveNewerError,
  ArchiveNotFoundError,
  type ArchivePlace,
  RedactionInvalidError,
  UnpackFailedError,
} from "./errors.ts";
export { type ExportOptions, type ExportReport, exportArchive } from "./export-archive.ts";
export {
  type ImportOptions,
  type ImportReport,
  type ImportTarget,
  importArchive,
  updateIndexes,
} from "./import-archive.ts";
export type { OpenOptions } from "./open-archive.ts";
export type { Progress, ProgressOptions, Step } from "./progress.ts";
export type { ArchiveRedactor, RedactedCount } from "./redaction.ts";
export { type ArchiveSummary, verifyArchive } from "./verify-archive.ts";
