import { PondError } from "@pond/canonical";
import { TargetUnwritableError } from "@pond/sessions";

/** Where in an archive something is wrong. */
export type ArchivePlace = {
  readonly file: string;
  /** Path of the member, or name of the table. */
  readonly member?: string | undefined;
  /** Of the member's header, or of what is wrong, in bytes from the beginning of the file. */
  readonly offset?: number | undefined;
};

/** Base of what is wrong with an archive; nothing of it has reached a store. */
export abstract class ArchiveError extends PondError {
  readonly details: ArchivePlace & {
    readonly reason: string;
    /** Of a file that never was an archive: it may be another that was meant. */
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

/** It is not what was exported: cut off, changed, or no archive at all. */
export class ArchiveDamagedError extends ArchiveError {
  override readonly name = "ArchiveDamagedError";
  readonly code = "archive_damaged";
}

/** It holds what no export writes, such as links or paths that lead elsewhere. */
export class ArchiveHostileError extends ArchiveError {
  override readonly name = "ArchiveHostileError";
  readonly code = "archive_hostile";
}

/** A redactor makes of a stored row one that no import takes: nothing was exported. */
export class RedactionInvalidError extends PondError {
  override readonly name = "RedactionInvalidError";
  readonly code = "redaction_invalid";
  readonly details: {
    readonly table: string;
    /** Of the row, by the names of the columns that are its key. */
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

/** Nothing is wrong with the archive, but the folder it is unpacked in takes no more. */
export class UnpackFailedError extends PondError {
  override readonly name = "UnpackFailedError";
  readonly code = "unpack_failed";
  readonly details: { readonly folder: string; readonly reason: string };

  constructor(folder: string, reason: string, options?: ErrorOptions) {
    super(`${folder}: no archive can be unpacked there: ${reason}`, options);
    this.details = { folder, reason };
  }

  /** The error of the system as one of this kind; others as they are. */
  static from(folder: string, error: unknown): unknown {
    const unwritable = TargetUnwritableError.from(folder, error);
    if (!(unwritable instanceof TargetUnwritableError)) return unwritable;
    return new UnpackFailedError(folder, unwritable.details.reason, { cause: error });
  }
}

/** A newer version of pond made it. */
export class ArchiveNewerError extends ArchiveError {
  override readonly name = "ArchiveNewerError";
  readonly code = "archive_newer";
}
