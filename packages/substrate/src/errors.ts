const stamp = Symbol.for("pond.error");

/** Base of the errors that the substrate throws on purpose; `PondError.is` recognises them. */
export abstract class SubstrateError extends Error {
  abstract readonly code: string;
  abstract readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, stamp, { value: true });
  }
}

/** A write lost every race (spec 3.6), or had no turn for minutes. It is safe to repeat. */
export class ConflictError extends SubstrateError {
  override readonly name = "ConflictError";
  readonly code = "conflict";
  readonly details: { readonly table: string; readonly attempts: number };

  /** @param options - `isHeld`: another program kept its turn all the time. */
  constructor(
    table: string,
    attempts: number,
    options?: ErrorOptions & { readonly isHeld?: boolean },
  ) {
    const reason = options?.isHeld
      ? "another program has been writing to it for minutes, and may be suspended: let it go on, or end it"
      : `other writers won ${attempts} times in a row`;
    super(`${table}: ${reason}; try again`, options);
    this.details = { table, attempts };
  }
}

/**
 * The problem, if something can be done about it: the disk is full, the process may open no more
 * files, or write none as large, a file is damaged, an index has lost a file, a sync tool put a copy
 * of its own among the versions of a table, the file system makes no hard links, the certificate of
 * an object store is not trusted, or the address is of an unknown kind of storage.
 */
export type StorageProblem =
  | "disk_full"
  | "open_files"
  | "file_size"
  | "damaged"
  | "index_lost"
  | "foreign_manifest"
  | "no_hard_links"
  | "certificate"
  | "unknown_kind";

/** Storage failed after every retry. */
export class StorageUnavailableError extends SubstrateError {
  override readonly name = "StorageUnavailableError";
  readonly code = "storage_unavailable";
  readonly details: {
    readonly location: string;
    readonly reason: string;
    /** True for an error that may pass by itself and is worth another try later. */
    readonly isTransient: boolean;
    readonly problem?: StorageProblem;
  };

  constructor(
    location: string,
    reason: string,
    {
      isTransient = false,
      problem,
      ...options
    }: ErrorOptions & {
      readonly isTransient?: boolean;
      readonly problem?: StorageProblem | undefined;
    } = {},
  ) {
    super(`${location}: ${reason}`, options);
    this.details = { location, reason, isTransient, ...(problem && { problem }) };
  }
}

/** There is no store at the location, and none was to be made. */
export class StoreNotFoundError extends SubstrateError {
  override readonly name = "StoreNotFoundError";
  readonly code = "store_not_found";
  readonly details: { readonly location: string };

  constructor(location: string, options?: ErrorOptions) {
    super(`${location}: there is no store here`, options);
    this.details = { location };
  }
}

/** Something was asked of a closed store. */
export class StoreClosedError extends SubstrateError {
  override readonly name = "StoreClosedError";
  readonly code = "store_closed";
  readonly details: { readonly location: string };

  constructor(location: string, options?: ErrorOptions) {
    super(`${location}: the store is closed`, options);
    this.details = { location };
  }
}

/** Why a table is missing: an older version made the store, or the table's content is lost. */
export type SchemaProblem = "unmade" | "lost";

/**
 * The store has a schema that this version does not know, or a declared schema cannot be stored.
 */
export class StoreSchemaError extends SubstrateError {
  override readonly name = "StoreSchemaError";
  readonly code = "store_schema";
  readonly details: {
    readonly location: string;
    readonly table: string;
    readonly reason: string;
    readonly problem?: SchemaProblem;
  };

  constructor(location: string, table: string, reason: string, problem?: SchemaProblem) {
    super(`${location}: table ${table}: ${reason}`);
    this.details = { location, table, reason, ...(problem && { problem }) };
  }
}

/** Rows that cannot be stored as they are. */
export class InvalidBatchError extends SubstrateError {
  override readonly name = "InvalidBatchError";
  readonly code = "invalid_batch";
  readonly details: { readonly table: string; readonly column: string; readonly reason: string };

  constructor(table: string, column: string, reason: string) {
    super(`${table}.${column}: ${reason}`);
    this.details = { table, column, reason };
  }
}
