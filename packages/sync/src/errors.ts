import { PondError } from "@pond/canonical";

/** A path that was asked for is not there or may not be looked at. */
export class SourceNotFoundError extends PondError {
  override readonly name = "SourceNotFoundError";
  readonly code = "source_not_found";
  readonly details: { readonly adapter: string; readonly path: string };

  constructor(adapter: string, path: string, options?: ErrorOptions) {
    super(`${path}: nothing is there that ${adapter} could read`, options);
    this.details = { adapter, path };
  }
}

/** An embedder returned what is no vector of each text. Nothing of it is stored. */
export class VectorsInvalidError extends PondError {
  override readonly name = "VectorsInvalidError";
  readonly code = "vectors_invalid";
  readonly details: { readonly model: string; readonly reason: string };

  constructor(model: string, reason: string, options?: ErrorOptions) {
    super(`${model} returned ${reason}`, options);
    this.details = { model, reason };
  }
}
