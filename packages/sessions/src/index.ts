export { makeFolder } from "@pond/canonical/adapter";
export {
  DamagedRowError,
  MessageNotFoundError,
  PartNotFoundError,
  SessionNotFoundError,
  SessionTooLargeError,
  TargetExistsError,
  TargetUnwritableError,
  UnsafePathError,
} from "./errors.ts";
export { cleanSessions, type FoldSessionsOptions, foldSessions } from "./fold-sessions.ts";
export { type Damaged, type DamageOptions, findDamaged } from "./ingest/damaged.ts";
export { createIngest, type Ingest, type IngestOptions } from "./ingest/ingest.ts";
export type { AddedAt, IngestOutcome, SessionHooks } from "./ingest/outcome.ts";
export { qualifiedId } from "./ingest/qualified-ids.ts";
export { type HeldMessages, onlyPlace, type SourcePlace } from "./ingest/source-place.ts";
export type { ExpectedSession } from "./ingest/stored-sessions.ts";
export { lastActive } from "./read/activity.ts";
export { storedAgents } from "./read/agents.ts";
export { childrenOf, rootOf, rootsOf } from "./read/ancestry.ts";
export { clientTitles } from "./read/client-titles.ts";
export { type CopyCandidate, untouchedCopies } from "./read/copies.ts";
export { type CutView, cutContext } from "./read/cut-context.ts";
export {
  type GetOptions,
  getMessage,
  getSession,
  type MessageOptions,
  type MessageView,
  readPages,
  type SessionPage,
} from "./read/get.ts";
export { type ListedSession, type ListOptions, listSessions } from "./read/list.ts";
export type { StoredState } from "./read/outline.ts";
export { projectFilter, similarProjects } from "./read/project.ts";
export { type RevisedParent, type RevisedParents, revisedParents } from "./read/revised-parents.ts";
export {
  type PartSummary,
  type ResponseMode,
  type ShownMessage,
  summarizePart,
} from "./read/shown-message.ts";
export { type LabelCounts, type Statistics, statistics } from "./read/statistics.ts";
export { isStillStored } from "./read/still-stored.ts";
export { titles } from "./read/titles.ts";
export { idsWithoutSessionRow, stillWithoutSessionRow } from "./read/without-session-row.ts";
export { hasAllLines } from "./restore/append-lines.ts";
export { type Duplicates, duplicatesFor } from "./restore/duplicates.ts";
export { LeftoverDrafts } from "./restore/leftover-drafts.ts";
export { type LineageOptions, loadLineage, rootIds } from "./restore/lineage.ts";
export { LineagePrefetch } from "./restore/lineage-prefetch.ts";
export {
  type LineageFile,
  type Restored,
  type RestoredPart,
  type RestoreOptions,
  restore,
} from "./restore/restore.ts";
export { placeDraft, resolveTargetPath } from "./restore/target-path.ts";
export { type WriteOptions, writeFiles } from "./restore/write-files.ts";
export {
  type CheckOptions,
  checkContent,
  type FindingKind,
  type ReportedKind,
} from "./rows/content-check.ts";
export { openSessions, type SessionStore, type SessionStoreOptions } from "./session-store.ts";
export { searchable, sessionTables } from "./tables.ts";
