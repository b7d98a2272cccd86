import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "@pond/sync";
import { chooseAdapters } from "../choose-adapters.ts";
import type { Context } from "../context.ts";
import { type CleanUp, cleanUpOf } from "./clean-up.ts";

/** One place of a client on this machine. */
export type FoundPlace = {
  readonly path: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When the file that rests longest was last written; null where sessions are no files. */
  readonly oldest: Date | null;
  /** Null where nothing is known of the client's own clean-up. */
  readonly cleanUp: (CleanUp & Doomed) | null;
};

/** Sessions the client's own clean-up is about to delete. */
type Doomed = {
  /** At its next start. */
  readonly due: number;
  /** Within a week from now, if nothing is written to them. */
  readonly dueSoon: number;
};

export type FoundClient = {
  readonly name: string;
  /** False where `config.toml` switches it off. */
  readonly isEnabled: boolean;
  readonly places: readonly FoundPlace[];
};

const dayMs = 86_400_000;

/** The clients that have a folder on this machine, in the order of the registry. */
export async function findClients(context: Context): Promise<FoundClient[]> {
  const { adapters } = await import("@pond/adapters");
  const names = adapters.map(({ origin }) => origin);
  const { sources } = await chooseAdapters(context, names);
  const found: FoundClient[] = [];
  for (const name of names) {
    const own = sources.filter(({ adapter }) => adapter === name);
    if (own.length === 0) continue;
    const places = await Promise.all(own.map((source) => look(source, context.now())));
    const isEnabled = context.settings.config.adapters[name]?.isEnabled !== false;
    found.push({ name, isEnabled, places });
  }
  return found;
}

async function look({ adapter, path, reader }: Source, now: Date): Promise<FoundPlace> {
  const cleanUp = cleanUpOf(adapter, path);
  const place = { sessions: 0, bytes: 0, oldestMs: Number.POSITIVE_INFINITY, due: 0, dueSoon: 0 };
  for await (const source of reader.sessions()) {
    if (source.kind === "fault") continue;
    place.sessions += 1;
    place.bytes += source.bytes;
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

/** A key is a path, in the client's folder or in that of its sessions, where sessions are files. */
async function lastWritten(place: string, key: string): Promise<number | undefined> {
  for (const folder of ["", "projects", "sessions"]) {
    const found = await stat(join(place, folder, key)).catch(() => undefined);
    if (found?.isFile()) return found.mtimeMs;
  }
  return undefined;
}
