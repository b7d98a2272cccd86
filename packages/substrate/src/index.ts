export { type CacheSizes, type Caches, createCaches } from "./caches.ts";
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
export {
  ConflictError,
  InvalidBatchError,
  StorageUnavailableError,
  StoreNotFoundError,
  StoreSchemaError,
  SubstrateError,
} from "./errors.ts";
export type { Filter, FilterValue } from "./filter.ts";
export {
  and,
  contains,
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
} from "./filter.ts";
export type { FoldOptions, FoldOutcome } from "./fold.ts";
export { fragmentOf, rowAddress, rowId } from "./fragments.ts";
export type { FullTextQuery } from "./full-text.ts";
export type { Healing } from "./heal.ts";
export type { IndexHealth, TableHealth } from "./health.ts";
export type { FullTextOptions, NearestOptions, OrderBy, ScanOptions } from "./read.ts";
export { openStore, type Store, type StoreOptions } from "./store.ts";
export type { Table } from "./table.ts";
export { TextCells } from "./text-cells.ts";
export {
  type ContentCheck,
  type ContentVerdict,
  type VerifyOptions,
  verifyStore,
} from "./verify.ts";
export type { Damage, TableVerdict } from "./verify-table.ts";
export type { InsertOutcome } from "./write.ts";
