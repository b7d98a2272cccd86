const stamp = Symbol.for("pond.error");

/** Base of the errors the substrate throws on purpose; `PondError.is` recognises them. */
export abstract class SubstrateError extends Error {
  abstract readonly code: string;
  abstract readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, stamp, { value: true });
  }
}

/** A write lost every race it ran (spec 3.6). Safe to repeat. */
export class ConflictError extends SubstrateError {
  override readonly name = "ConflictError";
  readonly code = "conflict";
  readonly details: { readonly table: string; readonly attempts: number };

  constructor(table: string, attempts: number, options?: ErrorOptions) {
    super(`${table}: other writers won ${attempts} times in a row; try again`, options);
    this.details = { table, attempts };
  }
}

/** Storage failed after every retry. */
export class StorageUnavailableError extends SubstrateError {
  override readonly name = "StorageUnavailableError";
  readonly code = "storage_unavailable";
  readonly details: {
    readonly location: string;
    readonly reason: string;
    /** True for what may pass by itself, and is worth another try later. */
    readonly isTransient: boolean;
  };

  constructor(
    location: string,
    reason: string,
    { isTransient = false, ...options }: ErrorOptions & { readonly isTransient?: boolean } = {},
  ) {
    super(`${location}: ${reason}`, options);
    this.details = { location, reason, isTransient };
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

/** Something was asked of a store that is closed. */
export class StoreClosedError extends SubstrateError {
  override readonly name = "StoreClosedError";
  readonly code = "store_closed";
  readonly details: { readonly location: string };

  constructor(location: string, options?: ErrorOptions) {
    super(`${location}: the store is closed`, options);
    this.details = { location };
  }
}

/** The store was written with a schema this version does not know, or one cannot be stored. */
export class StoreSchemaError extends SubstrateError {
  override readonly name = "StoreSchemaError";
  readonly code = "store_schema";
  readonly details: { readonly location: string; readonly table: string; readonly reason: string };

  constructor(location: string, table: string, reason: string) {
    super(`${location}: table ${table}: ${reason}`);
    this.details = { location, table, reason };
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
