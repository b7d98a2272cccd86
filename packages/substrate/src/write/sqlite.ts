type Sqlite = typeof import("node:sqlite");

let loaded: Sqlite | undefined;

/** SQLite, of which Node 22 says that it is experimental: no news for who stores rows. */
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
