import { PondError } from "@pond/canonical";
import { TargetUnwritableError } from "@pond/sessions";

/** The place in an archive where something is wrong. */
export type ArchivePlace = {
  readonly file: string;
  /** Path of the member, or name of the table. */
  readonly member?: string | undefined;
  /** Offset of the member's header, or of the problem, in bytes from the beginning of the file. */
  readonly offset?: number | undefined;
};

/** Base of the errors of an archive. Nothing of the archive has reached a store. */
export abstract class ArchiveError extends PondError {
  readonly details: ArchivePlace & {
    readonly reason: string;
    /** Set for a file that never was an archive: another one may have been meant. */
    readonly problem?: "no_archive";
  };

  constructor(
    { file, member, offset }: ArchivePlace,
    reason: string,
    { problem, ...options }: ErrorOptions & { readonly problem?: "no_archive" } = {},
  ) {
    const inside = member === undefined ? "" : `: ${member}`;
    const at = offset === undefined ? "" : ` (at byte ${offset})`;
    super(`${file}${inside}: ${reason}${at}`, options);
    this.details = {
      file,
      ...(member !== undefined && { member }),
      ...(offset !== undefined && { offset }),
      reason,
      ...(problem && { problem }),
    };
  }
}

/** There is no such file. */
export class ArchiveNotFoundError extends ArchiveError {
  override readonly name = "ArchiveNotFoundError";
  readonly code = "archive_not_found";
}

/** The archive is not what was exported: cut off, changed, or not an archive at all. */
export class ArchiveDamagedError extends ArchiveError {
  override readonly name = "ArchiveDamagedError";
  readonly code = "archive_damaged";
}

/**
 * The archive holds something that no export writes, such as links or paths that lead elsewhere.
 */
export class ArchiveHostileError extends ArchiveError {
  override readonly name = "ArchiveHostileError";
  readonly code = "archive_hostile";
}

/** A redactor turned a stored row into one that no import accepts. Nothing was exported. */
export class RedactionInvalidError extends PondError {
  override readonly name = "RedactionInvalidError";
  readonly code = "redaction_invalid";
  readonly details: {
    readonly table: string;
    /** The key of the row, by the names of its columns. */
    readonly key: Readonly<Record<string, string>>;
    readonly reason: string;
  };

  constructor(details: RedactionInvalidError["details"], options?: ErrorOptions) {
    const { table, key, reason } = details;
    const row = Object.entries(key).map(([column, id]) => `${column} ${id}`);
    super(
      `${table}, ${row.join(", ")}: once redacted, it could not be imported: ${reason}`,
      options,
    );
    this.details = details;
  }
}

/** Nothing is wrong with the archive, but the folder to unpack it in takes no more. */
export class UnpackFailedError extends PondError {
  override readonly name = "UnpackFailedError";
  readonly code = "unpack_failed";
  readonly details: { readonly folder: string; readonly reason: string };

  constructor(folder: string, reason: string, options?: ErrorOptions) {
    super(`${folder}: no archive can be unpacked there: ${reason}`, options);
    this.details = { folder, reason };
  }

  /** Converts an error of the system to one of this kind; returns others unchanged. */
  static from(folder: string, error: unknown): unknown {
    const unwritable = TargetUnwritableError.from(folder, error);
    if (!(unwritable instanceof TargetUnwritableError)) return unwritable;
    return new UnpackFailedError(folder, unwritable.details.reason, { cause: error });
  }
}

/** A newer version of pond made the archive. */
export class ArchiveNewerError extends ArchiveError {
  override readonly name = "ArchiveNewerError";
  readonly code = "archive_newer";
}
