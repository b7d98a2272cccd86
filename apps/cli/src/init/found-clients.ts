import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "@pond/sync";
import { chooseAdapters } from "../choose-adapters.ts";
import type { Context } from "../context.ts";
import { formatCounted } from "../output/numbers.ts";
import { ProgressLine } from "../output/progress.ts";
import { safe, safeLine } from "../output/safe-text.ts";
import { type CleanUp, cleanUpOf } from "./clean-up.ts";

/** One place of a client on this machine. */
export type FoundPlace = {
  readonly path: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When the file that was left alone longest was last written; null if sessions are not files. */
  readonly oldest: Date | null;
  /** Null if nothing is known about the client's own clean-up. */
  readonly cleanUp: (CleanUp & DueSessions) | null;
};

/** Sessions the client's own clean-up is about to delete. */
type DueSessions = {
  /** At its next start. */
  readonly due: number;
  /** Within a week from now, if nothing is written to them. */
  readonly dueSoon: number;
};

export type FoundClient = {
  readonly name: string;
  /** False if `config.toml` switches it off. */
  readonly isEnabled: boolean;
  readonly places: readonly FoundPlace[];
};

const dayMs = 86_400_000;

/**
 * The clients that have a folder on this machine, in the order of the registry.
 *
 * @throws {Error} an AbortError once `signal` is aborted.
 */
export async function findClients(context: Context, signal: AbortSignal): Promise<FoundClient[]> {
  const { adapters } = await import("@pond/adapters");
  const names = adapters.map(({ origin }) => origin);
  const { sources } = await chooseAdapters(context, names);
  const progress = new ProgressLine(context.output);
  const options = { now: context.now(), progress, signal };
  const found: FoundClient[] = [];
  try {
    for (const name of names) {
      const own = sources.filter(({ adapter }) => adapter === name);
      if (own.length === 0) continue;
      const places: FoundPlace[] = [];
      for (const source of own) places.push(await inspectSource(source, options));
      const isEnabled = context.settings.config.adapters[name]?.isEnabled !== false;
      found.push({ name, isEnabled, places });
    }
  } finally {
    progress.clear();
  }
  return found;
}

type InspectOptions = {
  readonly now: Date;
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
};

async function inspectSource(
  { adapter, path, reader }: Source,
  { now, progress, signal }: InspectOptions,
): Promise<FoundPlace> {
  const cleanUp = cleanUpOf(adapter, path);
  const place = { sessions: 0, bytes: 0, oldestMs: Number.POSITIVE_INFINITY, due: 0, dueSoon: 0 };
  for await (const source of reader.sessions(signal)) {
    signal.throwIfAborted();
    if (source.kind === "fault") continue;
    place.sessions += 1;
    place.bytes += source.bytes;
    const amount = { done: place.sessions, total: 0 };
    progress.show(
      path,
      amount,
      ({ done }) => safe`${safeLine(adapter)}  looking: ${formatCounted(done, "session")}`,
    );
    const writtenMs = await lastWritten(path, source.key);
    if (writtenMs === undefined) continue;
    place.oldestMs = Math.min(place.oldestMs, writtenMs);
    const daysLeft =
      (cleanUp?.days ?? Number.POSITIVE_INFINITY) - (now.getTime() - writtenMs) / dayMs;
    if (daysLeft < 0) place.due += 1;
    else if (daysLeft < 7) place.dueSoon += 1;
  }
  const { sessions, bytes, oldestMs, due, dueSoon } = place;
  return {
    path,
    sessions,
    bytes,
    oldest: Number.isFinite(oldestMs) ? new Date(oldestMs) : null,
    cleanUp: cleanUp === undefined ? null : { ...cleanUp, due, dueSoon },
  };
}

/**
 * A key is a path in the client's folder, or in the folder of its sessions, if sessions are files.
 */
async function lastWritten(place: string, key: string): Promise<number | undefined> {
  for (const folder of ["", "projects", "sessions"]) {
    const found = await stat(join(place, folder, key)).catch(() => undefined);
    if (found?.isFile()) return found.mtimeMs;
  }
  return undefined;
}
