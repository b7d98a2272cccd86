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
