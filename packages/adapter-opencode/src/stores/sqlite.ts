type Sqlite = typeof import("node:sqlite");

let loaded: Sqlite | undefined;

/**
 * SQLite, loaded when a database is first opened. Node prints a warning with it that is of no use
 * to the users of a command; every other warning is let through.
 */
export function sqlite(): Sqlite {
  if (loaded) return loaded;
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]): void => {
    if (/SQLite is an experimental feature/.test(String(warning))) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    loaded = process.getBuiltinModule("node:sqlite");
    return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
}
