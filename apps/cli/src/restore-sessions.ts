import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Adapter, Fidelity } from "@pond/canonical/adapter";
import type { At, SessionStore } from "@pond/sessions";
import type { Context } from "./context.ts";
import { UsageError } from "./errors.ts";
import { resolveSessionId } from "./session-id.ts";
import { ancestry, type StoredSession, storedSessions } from "./stored-sessions.ts";

type RestoredEntry = {
  readonly session_id: string;
  /** Where it was written, absolute. */
  readonly path: string;
  /** True where it is, record for record, what its client wrote. */
  readonly native: boolean;
  /** What became of each part type: of this file, or of the whole native restore it is part of. */
  readonly fidelity: Fidelity;
};

type RestoreFault = {
  readonly session_id: string;
  readonly code: string;
  readonly message: string;
};

/** What `pond restore --json` prints. */
export type RestoreReport = {
  readonly files: readonly RestoredEntry[];
  readonly faults: readonly RestoreFault[];
};

export type RestoreOptions = {
  /** Client to write for; each session's own when left out. */
  readonly to?: string;
  readonly out?: string;
  readonly install?: boolean;
  readonly force?: boolean;
  readonly at: At;
};

const defaultFolder = "pond-restore";

/** Restores the named sessions, each with all its sub-agents, straight into the folder. */
export async function restoreEach(
  context: Context,
  sessions: SessionStore,
  typed: readonly string[],
  options: RestoreOptions,
): Promise<RestoreReport> {
  const stored = await storedSessions(sessions);
  const ids: string[] = [];
  // All names are checked before anything is written.
  for (const each of typed) ids.push(await resolveSessionId(context.settings, sessions, each));
  const chosen = [...new Set(ids)].filter((id) => {
    const others = ids.filter((other) => other !== id);
    return !others.some((other) => ancestry(stored, id).includes(other));
  });
  const folder = folderOf(options);
  const [only] = chosen;
  if (only !== undefined && chosen.length === 1) {
    // Alone, its failure is the failure of the command.
    const session = stored.get(only);
    const files = session ? await restoreOne(context, sessions, session, folder, options) : [];
    return { files, faults: [] };
  }
  return restoreMany(context, sessions, chosen, stored, () => folder, options);
}

/** Restores every session, each below a folder named after the client it is for. */
export async function restoreAll(
  context: Context,
  sessions: SessionStore,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const stored = await storedSessions(sessions);
  const folder = folderOf(options);
  // Sessions in a circle have no topmost one: each is tried, and its fault says so.
  const tops = [...stored.keys()].filter((id) => {
    const above = ancestry(stored, id);
    return above.length === 0 || above.includes(id);
  });
  return restoreMany(context, sessions, tops, stored, (client) => join(folder, client), options);
}

/** Refuses a file before all the work, which would fail for each session. */
function folderOf({ out = defaultFolder, install }: RestoreOptions): string {
  const folder = resolve(out);
  const there = install ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) {
    throw new UsageError(`${folder} is no folder: name one with --out`, { path: folder });
  }
  return folder;
}

async function restoreMany(
  context: Context,
  sessions: SessionStore,
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredSession>,
  placeOf: (client: string) => string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const files: RestoredEntry[] = [];
  const faults: RestoreFault[] = [];
  for (const id of ids) {
    const session = stored.get(id);
    if (session === undefined) continue;
    const folder = placeOf(options.to ?? session.source_agent);
    try {
      files.push(...(await restoreOne(context, sessions, session, folder, options)));
    } catch (error) {
      faults.push(toFault(id, error));
    }
  }
  return { files, faults };
}

async function restoreOne(
  { home, env }: Context,
  sessions: SessionStore,
  { id, source_agent }: StoredSession,
  folder: string,
  { to, install, force, at }: RestoreOptions,
): Promise<RestoredEntry[]> {
  const { adapterNamed, toolReader } = await import("@pond/adapters");
  const { restore, writeFiles } = await import("@pond/sessions");
  const adapter = adapterNamed(to ?? source_agent);
  const restored = await restore(sessions, id, adapter.to, { at, readTool: toolReader() });
  const target = install ? homeOf(adapter, { home, env }) : folder;
  const save = install ? adapter.save : undefined;
  const options = { isForced: force ?? false, ...(save && { save }) };
  const paths = await writeFiles(restored.files, target, options);
  return restored.files.map((file, index) => ({
    session_id: file.session,
    path: paths[index] ?? join(target, file.path),
    native: restored.isNative,
    fidelity: file.fidelity ?? restored.fidelity,
  }));
}

/** The folder where the client finds its sessions on this machine. */
export function homeOf(adapter: Adapter, surroundings: Parameters<Adapter["homes"]>[0]): string {
  const [home] = adapter.homes(surroundings);
  if (home === undefined) {
    throw new UsageError(`${adapter.origin} has no folder of its own here: say --out DIR`);
  }
  return home;
}

function toFault(session_id: string, error: unknown): RestoreFault {
  if (!(error instanceof Error)) throw error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // A mistake in the program is no fault of a session.
  if (code === undefined) throw error;
  return { session_id, code, message: error.message };
}
