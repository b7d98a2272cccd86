import { PondError } from "@pond/canonical";

/** An adapter was named that the registry does not hold. */
export class UnknownAdapterError extends PondError {
  override readonly name = "UnknownAdapterError";
  readonly code = "adapter_unknown";
  readonly details: { readonly adapter: string; readonly known: readonly string[] };

  constructor(adapter: string, known: readonly string[]) {
    super(`there is no adapter "${adapter}"; known are ${known.join(", ")}`);
    this.details = { adapter, known };
  }
}

/** A path that was asked for does not exist or cannot be looked at. */
export class SourceNotFoundError extends PondError {
  override readonly name = "SourceNotFoundError";
  readonly code = "source_not_found";
  readonly details: { readonly adapter: string; readonly path: string };

  constructor(adapter: string, path: string, options?: ErrorOptions) {
    super(`${path} does not exist or cannot be read; nothing to sync for ${adapter}`, options);
    this.details = { adapter, path };
  }
}
