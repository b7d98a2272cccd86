import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Adapter, Fidelity } from "@pond/canonical/adapter";
import type {
  LeftoverDrafts,
  LineagePrefetch,
  Restored,
  SessionStore,
  StoredState,
} from "@pond/sessions";
import { filesByActivity, sessionsByActivity } from "./activity-order.ts";
import { adapterFor } from "./adapter-for.ts";
import type { Context } from "./context.ts";
import { UsageError } from "./errors.ts";
import { formatCount } from "./output/numbers.ts";
import {
  describeShare,
  describeTimeLeft,
  fitFacts,
  type Pace,
  ProgressLine,
} from "./output/progress.ts";
import { type SafeText, safe } from "./output/safe-text.ts";
import { whileRestoring } from "./output/while-restoring.ts";
import { planInstall, toHomePaths } from "./plan-install.ts";
import { realFolder } from "./real-folder.ts";
import { resolveSessionId } from "./session-id.ts";
import {
  ancestorIds,
  crossClientDescendantIds,
  type StoredSession,
  storedSessions,
} from "./stored-sessions.ts";
import { copiesOf, rememberCopies, type WrittenCopies } from "./written-copies.ts";

type RestoredEntry = {
  readonly session_id: string;
  /** Where it was written, absolute. */
  readonly path: string;
  /** True if it is, record for record, what its client wrote. */
  readonly native: boolean;
  /**
   * What became of each part type: in this file or, natively, in everything it was restored with.
   */
  readonly fidelity: Fidelity;
};

type RestoreFault = {
  readonly session_id: string;
  readonly code: string;
  readonly message: string;
};

/** A file in a client's home that was there already and stays. */
type LeftAsIsEntry = { readonly session_id: string; readonly path: string };

/** What became of the files of one session and the sessions below it. */
type Outcome = {
  readonly files: readonly RestoredEntry[];
  readonly leftAsIs: readonly LeftAsIsEntry[];
  /** What was written into a client's home, which `pond resume` brings up to date. */
  readonly copies: WrittenCopies;
  readonly faults: readonly RestoreFault[];
};

/** What `pond restore --json` prints. */
export type RestoreReport = {
  readonly files: readonly RestoredEntry[];
  /** Forks, sub-agents, and what forks continue, that were in the client's home already. */
  readonly left_as_is: readonly LeftAsIsEntry[];
  /** Sessions replaced by a copy of theirs, because somebody continued that. */
  readonly left_out: readonly string[];
  readonly faults: readonly RestoreFault[];
};

export type RestoreOptions = {
  /** Client to write for. Default: each session's own. */
  readonly to?: string;
  readonly out?: string;
  readonly install?: boolean;
  readonly force?: boolean;
  readonly at: StoredState;
};

const defaultFolder = "pond-restore";

/**
 * Restores the named sessions, each with all its sub-agents, straight into the folder. What another
 * client wrote below them goes into a folder with that client's name.
 */
export async function restoreEach(
  context: Context,
  sessions: SessionStore,
  typed: readonly string[],
  options: RestoreOptions,
): Promise<RestoreReport> {
  const stored = await storedSessions(sessions, options.at);
  const ids: string[] = [];
  // All names are checked before anything is written.
  for (const each of typed) ids.push(await resolveSessionId(context.settings, sessions, each));
  const chosen = [...new Set(ids)].filter((id, at, all) => {
    const above = ancestorIds(stored, id);
    // In a circle, each session is below the others: the first one that was named brings them.
    const isAbove = (other: string, place: number): boolean =>
      above.includes(other) && !(ancestorIds(stored, other).includes(id) && at < place);
    return !all.some((other, place) => other !== id && isAbove(other, place));
  });
  const folder = outFolderOf(options);
  const named = new Set(ids);
  const crossClient = options.to === undefined ? crossClientDescendantIds(stored, chosen) : [];
  const [only] = chosen;
  const session = stored.get(only ?? "");
  if (session !== undefined && chosen.length + crossClient.length === 1) {
    // If it is alone, its failure is the failure of the command.
    const outcome = await whileRestoring(context.output, () =>
      restoreOne(context, sessions, session, { folder, named }, options),
    );
    await rememberCopies(context.settings, outcome.copies);
    const { files, leftAsIs, faults } = outcome;
    return { files, left_as_is: leftAsIs, left_out: [], faults };
  }
  const clients = new Set(ids.map((id) => options.to ?? stored.get(id)?.source_agent));
  const targetOf = (client: string): RestoreTarget => ({
    folder: clients.has(client) ? folder : join(folder, client),
    named,
  });
  return restoreMany(context, sessions, [...chosen, ...crossClient], stored, targetOf, options);
}

/** Restores every session, each below a folder with the name of its client. */
export async function restoreAll(
  context: Context,
  sessions: SessionStore,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { duplicatesFor, rootIds, idsWithoutSessionRow } = await import("@pond/sessions");
  const { at, to } = options;
  const stored = await storedSessions(sessions, at);
  const folder = outFolderOf(options);
  const roots = await rootIds(sessions, { at, isCutByClient: to === undefined });
  const named = new Set(stored.keys());
  const duplicates = to === undefined ? undefined : await duplicatesFor(sessions, to);
  const { copies, originals } = duplicates ?? { copies: [], originals: [] };
  const leftOut = new Set([...copies, ...originals]);
  const targetOf = (client: string): RestoreTarget => ({
    folder: join(folder, client),
    named,
    leftOut,
  });
  const report = await restoreMany(context, sessions, roots, stored, targetOf, options);
  const lost = (await idsWithoutSessionRow(sessions)).map(toMissingRowFault);
  return { ...report, left_out: [...originals], faults: [...report.faults, ...lost] };
}

/** Puts what other clients wrote below a session into their homes, unless it is there already. */
export async function installCrossClient(
  context: Context,
  sessions: SessionStore,
  id: string,
): Promise<RestoreReport> {
  const options = { install: true, at: "last" } as const;
  const stored = await storedSessions(sessions);
  const ids = crossClientDescendantIds(stored, [id]);
  const targetOf = (): RestoreTarget => ({ folder: outFolderOf(options), named: new Set() });
  return restoreMany(context, sessions, ids, stored, targetOf, options);
}

/** Refuses a file before all the work, which would fail for each session. */
function outFolderOf({ out = defaultFolder, install }: RestoreOptions): string {
  const folder = resolve(out);
  const there = install ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) {
    throw new UsageError(`${folder} is not a folder: name one with --out`, { path: folder });
  }
  return folder;
}

/** Where to write, and the sessions that were asked for. */
type RestoreTarget = {
  readonly folder: string;
  readonly named: ReadonlySet<string>;
  /** Sessions whose conversation the client is given as another one. */
  readonly leftOut?: ReadonlySet<string>;
  readonly leftoverDrafts?: LeftoverDrafts;
  readonly prefetch?: LineagePrefetch;
};

async function restoreMany(
  context: Context,
  sessions: SessionStore,
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredSession>,
  targetOf: (client: string) => RestoreTarget,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const files: RestoredEntry[] = [];
  const leftAsIs: LeftAsIsEntry[] = [];
  // What several sessions continue comes with each of them, but is reported once.
  const faults = new Map<string, RestoreFault>();
  const addFault = (fault: RestoreFault): void =>
    void faults.set(`${fault.code} ${fault.session_id}`, fault);
  const copies = new Map<string, string>();
  const { LeftoverDrafts, LineagePrefetch } = await import("@pond/sessions");
  const leftoverDrafts = new LeftoverDrafts();
  const progress = new ProgressLine(context.output);
  try {
    const ordered = await sessionsByActivity(sessions, ids, stored);
    const which = { at: options.at, isCutByClient: options.to === undefined };
    const prefetch = new LineagePrefetch(
      sessions,
      ordered.map(({ id }) => id),
      which,
    );
    for (const [done, session] of ordered.entries()) {
      progress.show("restore", { done, total: ordered.length }, describeRestore);
      const place = { ...targetOf(options.to ?? session.source_agent), leftoverDrafts, prefetch };
      try {
        const outcome = await restoreOne(context, sessions, session, place, options);
        for (const file of outcome.files) files.push(file);
        for (const file of outcome.leftAsIs) leftAsIs.push(file);
        outcome.faults.forEach(addFault);
        for (const [file, digest] of outcome.copies) copies.set(file, digest);
      } catch (error) {
        addFault(toFault(session.id, error));
      }
    }
  } finally {
    progress.clear();
    await rememberCopies(context.settings, copies);
  }
  return { files, left_as_is: leftAsIs, left_out: [], faults: [...faults.values()] };
}

/** The progress; sub-agents and forks go with the session that they belong to. */
function describeRestore(pace: Pace): SafeText {
  const { done, total, columns } = pace;
  const share = safe`restoring  ${describeShare(pace)}`;
  const sessions = safe`${formatCount(done)}/${formatCount(total)} sessions`;
  return fitFacts([share, sessions, describeTimeLeft(pace)], columns);
}

async function restoreOne(
  { home, env }: Context,
  sessions: SessionStore,
  { id, source_agent }: StoredSession,
  { folder, named, leftOut, leftoverDrafts, prefetch }: RestoreTarget,
  { to, install, force, at }: RestoreOptions,
): Promise<Outcome> {
  const { meaningsOf } = await import("@pond/adapters");
  const { restore, writeFiles } = await import("@pond/sessions");
  const adapter = await adapterFor(source_agent, to);
  const target = install ? homeOf(adapter, { home, env }) : folder;
  const all = await restore(sessions, id, adapter.to, {
    at,
    // Without a client to write for, each session is restored for its own.
    isCutByClient: to === undefined,
    meanings: meaningsOf(),
    ...(prefetch && { prefetch }),
    // A client that is started in a folder looks there for what to continue.
    ...(install && adapter.resume && { projectFor: realFolder }),
    // Files in the user's own folder say nothing about what the client has.
    ...(install && { hasFile: (path: string) => existsSync(join(target, path)) }),
  });
  const restored = install ? toHomePaths(all, adapter, target) : all;
  const replaced = force ? named : new Set(named.has(id) ? [id] : []);
  const save = install ? adapter.save : undefined;
  const options = {
    isForced: force ?? false,
    ...(save && { save }),
    ...(leftoverDrafts && { leftoverDrafts }),
  };
  const wanted = restored.files.filter(({ session }) => !leftOut?.has(session));
  const { toWrite, leftAsIs } = install
    ? planInstall(wanted, target, replaced, options.isForced)
    : { toWrite: wanted, leftAsIs: [] };
  await writeFiles(await filesByActivity(sessions, toWrite), target, options);
  const files = toWrite.map((file) => ({
    session_id: file.session,
    path: join(target, file.path),
    native: file.part.isNative,
    // A file beside the session's own, in another client's form, keeps none of its parts.
    fidelity: file.fidelity ?? (file.part.isNative ? file.part.fidelity : {}),
  }));
  const left = leftAsIs.map(({ session, path }) => ({
    session_id: session,
    path: join(target, path),
  }));
  // What is in a database cannot be compared as a file, and the first state stays as it is.
  const isCompared = install && save === undefined && at === "last";
  return {
    files,
    leftAsIs: left,
    copies: isCompared ? copiesOf(toWrite, target) : new Map(),
    faults: faultsIn(restored),
  };
}

/** What the files of a restore lack. */
export function faultsIn(restored: Restored): RestoreFault[] {
  const message =
    "some of its messages are not what was written, and are restored as stored: `pond sync --verify` mends those that a client still holds";
  const damaged = restored.damaged.map((session_id) => ({
    ...{ session_id, code: "messages_damaged", message },
  }));
  return [...incompleteFaults(restored), ...damaged];
}

function toMissingRowFault(session_id: string): RestoreFault {
  const message =
    "it has messages and no row of its own, so it was left out: `pond sync --verify` brings back what a client still holds";
  return { session_id, code: "session_row_missing", message };
}

/** Faults for sessions that begin in the middle of another one which is missing. */
function incompleteFaults({ files, incomplete }: Restored): RestoreFault[] {
  return incomplete.map((session_id) => {
    const { part } = files.find(({ session }) => session === session_id) ?? {};
    const lack = "it continues a session that is not stored, or not that far";
    const effect = part?.isNative
      ? "its client refuses it without that session"
      : "some of what was said before is missing";
    return { session_id, code: "base_missing", message: `${lack}: ${effect}` };
  });
}

/** The folder where the client finds its sessions on this machine. */
export function homeOf(adapter: Adapter, environment: Parameters<Adapter["homes"]>[0]): string {
  const [home] = adapter.homes(environment);
  if (home === undefined) {
    throw new UsageError(`${adapter.origin} has no folder of its own here: pass --out DIR`);
  }
  return resolve(home);
}

function toFault(session_id: string, error: unknown): RestoreFault {
  if (!(error instanceof Error)) throw error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // A mistake in the program is not a fault of a session.
  if (code === undefined) throw error;
  return { session_id, code, message: error.message };
}
