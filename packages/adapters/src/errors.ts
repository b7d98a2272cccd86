import { PondError } from "@pond/canonical";
import { nearestName } from "./nearest-name.ts";

/** A name that no adapter has. The message lists the names that exist. */
export class UnknownAdapterError extends PondError {
  override readonly name = "UnknownAdapterError";
  readonly code = "unknown_adapter";
  readonly details: {
    readonly adapter: string;
    readonly known: readonly string[];
    /** The known name that was probably meant, if one is similar. */
    readonly nearest?: string;
  };

  constructor(adapter: string, known: readonly string[], options?: ErrorOptions) {
    const nearest = nearestName(adapter, known);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    super(`no adapter is called "${adapter}".${hint} Known: ${known.join(", ")}`, options);
    this.details = { adapter, known, ...(nearest !== undefined && { nearest }) };
  }
}
