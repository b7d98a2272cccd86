export { adapterCases } from "./adapter-cases.ts";
export { contentOf, lineagesOf } from "./content.ts";
export { firstDifference } from "./difference.ts";
export { arbitraryLineage } from "./generated/lineage.ts";
export type { AdapterCase, AdapterKit, Generated, Leaf, ProblemsOf, RecordsOf } from "./kit.ts";
export {
  eventText,
  type FoundSessions,
  findSessions,
  readAll,
  readSource,
  sessionTexts,
} from "./read.ts";
export { courseOf, type DraftMessage, draftMessage, liveIds } from "./record-rules.ts";
export { jsonlRecords, withReversedKeys } from "./records.ts";
export { sampleLineage } from "./sample.ts";
export { readFolder, restoredFiles, type SourceFiles, withFolder } from "./source-files.ts";
