// Not a PondError, because that would load the whole model to print `--help`; it carries the same
// mark.
const pondErrorMark = Symbol.for("pond.error");

abstract class CliError extends Error {
  abstract readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.details = details;
    Object.defineProperty(this, pondErrorMark, { value: true });
  }
}

/** The command line asks for something that does not exist, or contradicts itself. */
export class UsageError extends CliError {
  override readonly name = "UsageError";
  readonly code = "validation_failed";
}

/** The configuration file cannot be used. The message names the file, the place and the remedy. */
export class ConfigError extends CliError {
  override readonly name = "ConfigError";
  readonly code = "config_invalid";
}

/** A beginning of an id that fits several sessions. */
export class AmbiguousIdError extends CliError {
  override readonly name = "AmbiguousIdError";
  readonly code = "ambiguous_id";
}

/** A session of an agent that has no files for pond to write, such as one that was recorded. */
export class NoClientError extends CliError {
  override readonly name = "NoClientError";
  readonly code = "unknown_adapter";
}

/** What starts programs at times (systemd, cron, launchd) did not do what it was told. */
export class SchedulerError extends CliError {
  override readonly name = "SchedulerError";
  readonly code = "schedule_failed";
}

/** There is a store, but nothing in it to do this with, or not what a number stood for. */
export class NothingStoredError extends CliError {
  override readonly name = "NothingStoredError";
  readonly code = "not_found";
}

/** What an argument names holds no store. There is another error for a setting that names none. */
export class NoStoreError extends CliError {
  override readonly name = "NoStoreError";
  readonly code = "store_not_found";
}
