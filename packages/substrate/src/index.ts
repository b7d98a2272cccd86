export { copyStore } from "./copy.ts";
export type {
  Cell,
  Cells,
  Column,
  ColumnBatch,
  ColumnType,
  FullTextIndex,
  IndexDeclaration,
  Row,
  TableDeclaration,
} from "./declaration.ts";
export { type CacheSizes, type Caches, createCaches } from "./engine/caches.ts";
export {
  ConflictError,
  InvalidBatchError,
  type SchemaProblem,
  type StorageProblem,
  StorageUnavailableError,
  StoreClosedError,
  StoreNotFoundError,
  StoreSchemaError,
  SubstrateError,
} from "./errors.ts";
export type { CleanOptions } from "./indexes/clean.ts";
export type { FoldOptions, FoldOutcome } from "./indexes/fold.ts";
export type { IndexHealth, TableHealth } from "./indexes/health.ts";
export type { Healing } from "./integrity/heal.ts";
export {
  type ContentCheck,
  type ContentVerdict,
  type VerifyOptions,
  verifyStore,
} from "./integrity/verify.ts";
export type { Damage, TableVerdict } from "./integrity/verify-table.ts";
export type { Filter, FilterValue } from "./read/filter.ts";
export {
  and,
  contains,
  containsInAnyCase,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  not,
  oneOf,
  or,
  prefix,
} from "./read/filter.ts";
export { fragmentOf } from "./read/fragments.ts";
export type { FullTextQuery } from "./read/full-text.ts";
export type { FullTextOptions, NearestOptions, OrderBy, ScanOptions } from "./read/read.ts";
export { rowAddress, rowId } from "./read/system-columns.ts";
export { TextCells } from "./rows/text-cells.ts";
export { flushFolder } from "./storage/storage.ts";
export { openStore, type Store, type StoreOptions } from "./store.ts";
export type { Table } from "./table.ts";
export type { RewriteProgress } from "./write/replace-nulls.ts";
export type { InsertOutcome } from "./write/write.ts";
