import type { SessionStore, SessionStoreOptions } from "@pond/sessions";
import { createBatchCaches } from "./batch-caches.ts";
import { homeDirectory, makeDataFolder } from "./directories.ts";
import { exitSoon } from "./exit-soon.ts";
import { Output, type Sink } from "./output/output.ts";
import { safe, safeLine } from "./output/safe-text.ts";
import { type GlobalFlags, resolveSettings, type Settings } from "./settings.ts";

/** The process in which a command runs; tests pass their own. */
export type Runtime = {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @throws {ConfigError} if there is none. */
  readonly home: string;
  readonly now: () => Date;
  /** Called by a command that stays or takes in a lot, before it opens anything. */
  readonly tuneMemory?: ((work: "serving" | "batches") => Promise<void>) | undefined;
  /** Called if something may still be pending that nobody wants any more. */
  readonly leave?: () => void;
};

/** What every command gets. */
export type Context = {
  readonly settings: Settings;
  readonly output: Output;
  readonly env: Runtime["env"];
  readonly home: string;
  readonly now: () => Date;
  readonly tuneMemory: Runtime["tuneMemory"];
};

export function processRuntime(): Runtime {
  const { stdout, stderr, env } = process;
  const tuneMemory: Runtime["tuneMemory"] = async (work) => {
    const memory = await import("@pond/server/process");
    memory.tuneMemory(work);
  };
  return {
    ...{ stdout, stderr, env, tuneMemory },
    // Help and completions need none.
    get home() {
      return homeDirectory();
    },
    now: () => new Date(),
    leave: exitSoon,
  };
}

export function createOutput(flags: GlobalFlags, { stdout, stderr, env }: Runtime): Output {
  return new Output({
    stdout,
    stderr,
    env,
    isJson: flags.json ?? false,
    isQuiet: flags.quiet ?? false,
    isVerbose: flags.verbose ?? false,
    isColorAllowed: flags.color ?? true,
  });
}

/** @throws {UsageError} @throws {ConfigError} */
export async function createContext(
  flags: GlobalFlags,
  output: Output,
  runtime: Runtime,
): Promise<Context> {
  const { env, home, now, tuneMemory } = runtime;
  const settings = await resolveSettings(flags, env, home);
  return { settings, output, env, home, now, tuneMemory };
}

/** Runs `use` with the store open and closes it in any case. */
export async function withStore<T>(
  context: Context,
  mode: "read" | "write",
  use: (sessions: SessionStore) => Promise<T>,
  others: Pick<SessionStoreOptions, "caches" | "onMissingIndex"> = {},
): Promise<T> {
  const { openSessions } = await import("@pond/sessions");
  const { location, storageOptions, directories } = context.settings;
  if (mode === "write") makeDataFolder(location, directories);
  const options = { mode, storageOptions, onHeal: warnOfHeal(context), ...others };
  const sessions = await openSessions(location, options);
  try {
    return await use(sessions);
  } finally {
    sessions.close();
  }
}

/** The same for a command that goes through much of the store once, however large it is. */
export async function withWholeStore<T>(
  context: Context,
  mode: "read" | "write",
  use: (sessions: SessionStore) => Promise<T>,
): Promise<T> {
  return withStore(context, mode, use, { caches: await createBatchCaches() });
}

/** Tells a searching user that an index of words is missing. */
export function warnOfMissingIndex({
  output,
}: Pick<Context, "output">): NonNullable<SessionStoreOptions["onMissingIndex"]> {
  return ({ table, column }) =>
    output.warn(
      safe`${safeLine(table)}.${safeLine(column)}: its index is not complete, so a search may miss messages and finds no phrases; \`pond sync --only update-indexes\` makes it again`,
    );
}

/** Reports a table that was torn and works again. */
export function warnOfHeal({
  output,
}: Pick<Context, "output">): (healing: {
  readonly table: string;
  readonly movedTo: string;
}) => void {
  return ({ table, movedTo }) =>
    output.warn(
      safe`${safeLine(table)}: its newest state was torn, as after a power cut; the one before is used, the torn one kept as ${safeLine(movedTo)}`,
    );
}
