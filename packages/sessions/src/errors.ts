import { PondError, ValidationError } from "@pond/canonical";

/** No session has this id, or the session is not completely stored yet. */
export class SessionNotFoundError extends PondError {
  override readonly name = "SessionNotFoundError";
  readonly code = "not_found";
  readonly details: { readonly sessionId: string };

  constructor(sessionId: string) {
    super(`no session ${sessionId} is stored`);
    this.details = { sessionId };
  }
}

/** The session holds no message with this id. */
export class MessageNotFoundError extends PondError {
  override readonly name = "MessageNotFoundError";
  readonly code = "not_found";
  readonly details: { readonly sessionId: string; readonly messageId: string };

  constructor(sessionId: string, messageId: string) {
    super(`session ${sessionId} holds no message ${messageId}`);
    this.details = { sessionId, messageId };
  }
}

/** The message holds no part with this id. */
export class PartNotFoundError extends PondError {
  override readonly name = "PartNotFoundError";
  readonly code = "not_found";
  readonly details: { readonly messageId: string; readonly partId: string };

  constructor(messageId: string, partId: string) {
    super(`message ${messageId} holds no part ${partId}`);
    this.details = { messageId, partId };
  }
}

/** A session, with what is restored with it, takes more to read than is allowed. */
export class SessionTooLargeError extends PondError {
  override readonly name = "SessionTooLargeError";
  readonly code = "session_too_large";
  readonly details: { readonly sessionId: string; readonly limitBytes: number };

  constructor(sessionId: string, limitBytes: number, options?: ErrorOptions) {
    super(`session ${sessionId} takes more than ${limitBytes} bytes to restore`, options);
    this.details = { sessionId, limitBytes };
  }
}

/** A restored file would be outside the target folder. */
export class UnsafePathError extends PondError {
  override readonly name = "UnsafePathError";
  readonly code = "unsafe_path";
  readonly details: { readonly sessionId: string; readonly path: string };

  constructor(sessionId: string, path: string) {
    super(`session ${sessionId} would be written outside the target folder: ${path}`);
    this.details = { sessionId, path };
  }
}

/** A file exists already and was not to be replaced. */
export class TargetExistsError extends PondError {
  override readonly name = "TargetExistsError";
  readonly code = "target_exists";
  readonly details: { readonly path: string };

  constructor(path: string, options?: ErrorOptions) {
    super(`${path} is there already; it is replaced only if forced`, options);
    this.details = { path };
  }
}

const unwritableReasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the disk is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  // Its folder is there: /proc and places like it say so.
  ENOENT: "nothing can be created there",
};

/** A file or its folder cannot be written: the disk is full, or permissions forbid it. */
export class TargetUnwritableError extends PondError {
  override readonly name = "TargetUnwritableError";
  readonly code = "target_unwritable";
  readonly details: { readonly path: string; readonly reason: string };

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path} cannot be written: ${reason}; correct that, or name another place`, options);
    this.details = { path, reason };
  }

  /**
   * Converts an error of the system to one of this kind, with the path that it may not name;
   * returns others unchanged.
   */
  static from(path: string, error: unknown): unknown {
    if (!(error instanceof Error && "syscall" in error)) return error;
    const reason = unwritableReasons[String(codeOf(error))] ?? error.message;
    return new TargetUnwritableError(path, reason, { cause: error });
  }
}

/** The system's code of an error; undefined for others. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** A row, by its table and its key in it. @inline */
type RowName = { readonly table: string; readonly key: readonly string[] };

/** A stored row that is not what was written. */
export class DamagedRowError extends PondError {
  override readonly name = "DamagedRowError";
  readonly code = "damaged_row";
  readonly details: { readonly column: string; readonly found: string } & Partial<RowName>;

  constructor(column: string, found: string, row?: RowName) {
    const of = row === undefined ? "" : ` of ${JSON.stringify(row.key)} in ${row.table}`;
    super(`a stored row is damaged: ${column}${of} holds ${found}`);
    this.details = { column, found, ...row };
  }
}

/** True for an error that says stored rows are not what was written. */
export function isDamage(error: unknown): boolean {
  return [DamagedRowError, MessageNotFoundError, ValidationError].some(
    (each) => error instanceof each,
  );
}

/** Handles an error of reading stored rows: damaged rows count as nothing. */
export function nothingIfDamaged(error: unknown): undefined {
  if (!isDamage(error)) throw error;
}

/**
 * What is read from stored rows; undefined if they are damaged, which is reported when the store is
 * verified.
 */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return nothingIfDamaged(error);
  }
}
