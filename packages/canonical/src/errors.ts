const stamp = Symbol.for("pond.error");

/**
 * Base of every error that pond throws on purpose. `code` is part of the contract, `message` is for
 * people.
 */
export abstract class PondError extends Error {
  abstract readonly code: string;
  /** Facts about the error, as JSON. */
  abstract readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, stamp, { value: true });
  }

  /** True for a PondError from any copy of this package. */
  static is(error: unknown): error is PondError {
    return typeof error === "object" && error !== null && stamp in error;
  }
}

/** Where a record stands in its source. */
export type SourceLocation = {
  /** Origin of the adapter that read it. */
  readonly adapter: string;
  /** Absolute path of the file, or address of the source: people are shown it. */
  readonly uri: string;
  /** Line number from 1, row key, or whatever names a record there. */
  readonly record: number | string;
  /** Offset of the record's first byte, where the source is a file. */
  readonly byteOffset?: number;
};

/**
 * A source record that breaks its own format (`adapter-integrity-no-silent-drops`).
 * Yielded by readers, thrown by record accessors.
 */
export class SourceFault extends PondError {
  override readonly name = "SourceFault";
  readonly code = "source_fault";
  readonly details: SourceLocation & { readonly reason: string };

  constructor(at: SourceLocation, reason: string, options?: ErrorOptions) {
    super(`${at.adapter}: ${at.uri}:${at.record}: ${reason}`, options);
    this.details = { ...at, reason };
  }
}

/** A canonical value that breaks the model. */
export class ValidationError extends PondError {
  override readonly name = "ValidationError";
  readonly code = "validation_failed";
  readonly details: { readonly path: string; readonly reason: string };

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.details = { path, reason };
  }
}
