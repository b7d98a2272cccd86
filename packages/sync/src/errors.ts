import { PondError } from "@pond/canonical";

/** A path that was asked for is no file or folder, or may not be looked at. */
export class SourceNotFoundError extends PondError {
  override readonly name = "SourceNotFoundError";
  readonly code = "source_not_found";
  readonly details: { readonly adapter: string; readonly path: string };

  constructor(adapter: string, path: string, options?: ErrorOptions) {
    super(`${path}: nothing is there that ${adapter} could read`, options);
    this.details = { adapter, path };
  }
}

/** An embedder returned something other than one vector for each text. Nothing of it is stored. */
export class VectorsInvalidError extends PondError {
  override readonly name = "VectorsInvalidError";
  readonly code = "vectors_invalid";
  readonly details: { readonly model: string; readonly reason: string };

  constructor(model: string, reason: string, options?: ErrorOptions) {
    super(`${model} returned ${reason}`, options);
    this.details = { model, reason };
  }
}

/** Vectors were to be stored, but the store has vectors of another model with another dimension. */
export class ModelsAtOnceError extends PondError {
  override readonly name = "ModelsAtOnceError";
  readonly code = "models_at_once";
  readonly details: {
    readonly modelId: string;
    readonly dimension: number;
    /** The other model; without a name as long as nothing of it is stored. */
    readonly stored: { readonly modelId?: string; readonly dimension: number };
  };

  constructor(details: ModelsAtOnceError["details"], options?: ErrorOptions) {
    const { modelId, dimension, stored } = details;
    const other = stored.modelId === undefined ? "another model" : stored.modelId;
    super(
      `while ${modelId} (${dimension} numbers) embedded, another sync made room for the vectors of ${other} (${stored.dimension} numbers); a store holds vectors of one model: configure the same for every sync, then sync again`,
      options,
    );
    this.details = details;
  }
}

/**
 * Something failed, and work that had to be done nevertheless failed, too. The code is that of the
 * first error.
 */
export class BothFailedError extends PondError {
  override readonly name = "BothFailedError";
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> & {
    readonly second: { readonly code: string; readonly message: string };
  };
  /** Both errors, in the order in which they came. */
  readonly errors: readonly [unknown, unknown];

  constructor(first: unknown, second: unknown) {
    super(`${messageOf(first)}; and then: ${messageOf(second)}`, { cause: first });
    this.code = codeOf(first);
    const details = PondError.is(first) ? first.details : {};
    this.details = { ...details, second: { code: codeOf(second), message: messageOf(second) } };
    this.errors = [first, second];
  }
}

/**
 * Does the work that is owed although something failed, and then throws.
 *
 * @throws What failed; {@link BothFailedError} if the work fails, too, unless it was stopped.
 */
export async function failAfter(
  error: unknown,
  work: () => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<never> {
  try {
    await work();
  } catch (second) {
    const isSame = messageOf(second) === messageOf(error);
    if (!isSame && !signal?.aborted) throw new BothFailedError(error, second);
  }
  throw error;
}

function codeOf(error: unknown): string {
  return PondError.is(error) ? error.code : "internal";
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
