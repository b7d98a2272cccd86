import { PondError } from "@pond/canonical";
import type { LockHolder } from "./lock.ts";

/** Another writer holds the session. */
export class LockedError extends PondError {
  override readonly name = "LockedError";
  readonly code = "locked";
  readonly details: { readonly session_id: string; readonly holder: LockHolder };

  constructor(sessionId: string, holder: LockHolder) {
    super(`session ${sessionId} is being written by process ${holder.pid} on ${holder.host}`);
    this.details = { session_id: sessionId, holder };
  }
}

/** The folder of a store is a file, lies below one, or cannot be made there. */
export class NoFolderError extends PondError {
  override readonly name = "NoFolderError";
  readonly code = "no_folder";
  readonly details: { readonly folder: string };

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `${folder} is not a folder and cannot be created: name another for the sessions`,
      options,
    );
    this.details = { folder };
  }
}

/** A file in the folder is not a session. */
export class DamagedFileError extends PondError {
  override readonly name = "DamagedFileError";
  readonly code = "damaged_file";
  readonly details: { readonly file: string; readonly reason: string };

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file} is not a session: ${reason}`, options);
    this.details = { file, reason };
  }
}
