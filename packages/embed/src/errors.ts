const stamp = Symbol.for("pond.error");

/** Base of the errors that this package throws on purpose; `PondError.is` recognises them. */
export abstract class EmbedError extends Error {
  abstract readonly code:
    | "model_not_found"
    | "model_incomplete"
    | "model_invalid"
    | "runtime_missing"
    | "download_failed"
    | "embedding_failed";
  abstract readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, stamp, { value: true });
  }
}

/**
 * There is no such model: an unknown name, a missing folder, or a model that is not downloaded yet.
 */
export class ModelNotFoundError extends EmbedError {
  override readonly name = "ModelNotFoundError";
  readonly code = "model_not_found";
  readonly details: { readonly model: string; readonly reason: string };

  constructor(model: string, reason: string, options?: ErrorOptions) {
    super(`${model}: ${reason}`, options);
    this.details = { model, reason };
  }
}

/** A file of the model is missing or incomplete. */
export class ModelIncompleteError extends EmbedError {
  override readonly name = "ModelIncompleteError";
  readonly code = "model_incomplete";
  readonly details: { readonly model: string; readonly file: string; readonly reason: string };

  constructor(model: string, file: string, reason: string, options?: ErrorOptions) {
    super(`${model}: ${file} ${reason}`, options);
    this.details = { model, file, reason };
  }
}

/**
 * The model's files are there, but they are damaged, do not fit each other, or are not supported.
 */
export class ModelInvalidError extends EmbedError {
  override readonly name = "ModelInvalidError";
  readonly code = "model_invalid";
  readonly details: { readonly model: string; readonly reason: string };

  constructor(model: string, reason: string, options?: ErrorOptions) {
    super(`${model}: ${reason}`, options);
    this.details = { model, reason };
  }
}

/** The optional package that runs local models is not installed, or cannot run here. */
export class RuntimeMissingError extends EmbedError {
  override readonly name = "RuntimeMissingError";
  readonly code = "runtime_missing";
  readonly details: {
    readonly package: string;
    readonly reason: string;
    /** The command that installs it. */
    readonly command: string;
  };

  constructor(missing: string, reason: string, options?: ErrorOptions) {
    const command = `npm install ${missing}`;
    super(`local models need the package ${missing}, which ${reason}: ${command}`, options);
    this.details = { package: missing, reason, command };
  }
}

/** A file of a model could not be fetched, or it is not the expected one. */
export class DownloadError extends EmbedError {
  override readonly name = "DownloadError";
  readonly code = "download_failed";
  readonly details: {
    readonly model: string;
    readonly file: string;
    readonly reason: string;
    /** The address it was requested from, without credentials and query. */
    readonly url?: string;
    /** Set if a different file than the model's arrived; nothing of it is kept. */
    readonly problem?: "other_content";
    /** The HTTP status of the last answer, if there was one. */
    readonly status?: number;
  };

  constructor(details: DownloadError["details"], options?: ErrorOptions) {
    const { model, file, reason, url } = details;
    super(`${model}: ${file}: ${reason}${url === undefined ? "" : ` (${url})`}`, options);
    this.details = details;
  }
}

/** Texts could not be embedded. Holds neither the texts nor the key of the endpoint. */
export class EmbeddingError extends EmbedError {
  override readonly name = "EmbeddingError";
  readonly code = "embedding_failed";
  readonly details: {
    readonly model: string;
    readonly reason: string;
    /** True if no other text would succeed either: nothing answers, or the key is refused. */
    readonly isOfEveryText: boolean;
    /** The endpoint, without credentials and query. */
    readonly url?: string;
    readonly status?: number;
    readonly attempts?: number;
  };

  constructor(details: EmbeddingError["details"], options?: ErrorOptions) {
    const { model, reason, url } = details;
    super(`${model}: ${reason}${url === undefined ? "" : ` (${url})`}`, options);
    this.details = details;
  }
}
