type Sqlite = typeof import("node:sqlite");

let loaded: Sqlite | undefined;

/**
 * SQLite, which Node 22 calls experimental. That warning is of no use to someone who stores rows.
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
