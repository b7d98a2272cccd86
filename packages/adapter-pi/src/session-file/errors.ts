import { PondError } from "@pond/canonical";

/** A file is not a session, or has a form that cannot be opened. */
export class SessionFileError extends PondError {
  override readonly name = "SessionFileError";
  readonly code = "session_file_invalid";
  readonly details: { readonly path: string; readonly reason: string };

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.details = { path, reason };
  }
}

/** No entry of the session has the id. */
export class EntryNotFoundError extends PondError {
  override readonly name = "EntryNotFoundError";
  readonly code = "entry_not_found";
  readonly details: { readonly id: string };

  constructor(id: string) {
    super(`the session has no entry ${JSON.stringify(id)}`);
    this.details = { id };
  }
}
