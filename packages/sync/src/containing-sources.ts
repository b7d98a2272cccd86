import { realpathSync } from "node:fs";
import type { FaultEvent } from "@pond/canonical";
import { isSystemError, type SourceSession } from "@pond/canonical/adapter";
import { listOf } from "./changes.ts";
import type { Source } from "./discover.ts";
import { isWithin, pathsReadBefore } from "./other-sources.ts";

/** A path that somebody asked for, in the place of its client that it lies within. */
type ContainedPart = {
  readonly place: Source;
  /** The place's own names of the sessions there. */
  readonly keys: readonly string[];
  /** What cannot be listed there. */
  readonly faults: readonly FaultEvent[];
};

/**
 * The sources as they are read. If a path lies within another place of its client, which lists
 * everything there, that place's sessions are read as far as their files are in the path. So they
 * come out as always, it is known whose sub-agents they are, and what was seen of them is noted
 * once.
 */
export async function containingSources(
  sources: readonly Source[],
  stateDirectory: string,
  signal: AbortSignal | undefined,
): Promise<Source[]> {
  const whole: Source[] = [];
  const parts: ContainedPart[] = [];
  for (const source of sources) {
    const part = await partOf(source, stateDirectory, signal);
    if (part) parts.push(part);
    else whole.push(source);
  }
  const isRead = ({ place }: ContainedPart): boolean =>
    whole.some(({ adapter, path }) => adapter === place.adapter && path === place.path);
  const others = parts.filter((part) => !isRead(part));
  const byPlace = Map.groupBy(others, ({ place }) => `${place.adapter} ${place.path}`);
  return [...whole, ...[...byPlace.values()].flatMap(mergeParts)];
}

async function partOf(
  source: Source,
  stateDirectory: string,
  signal: AbortSignal | undefined,
): Promise<ContainedPart | undefined> {
  const { adapter, path, others } = source;
  if (others === undefined) return undefined;
  const read = await pathsReadBefore(stateDirectory, adapter);
  const contains = (place: string): boolean => place !== path && isWithin(path, place);
  const containing = [
    ...others.usual.filter((usual) => contains(usual.path)),
    ...read.filter(contains).map((place) => others.at(place)),
  ];
  if (containing.length === 0) return undefined;
  const { sessions, faults } = await listAll(source, signal);
  const own = new Set(sessions.map(identityOf));
  for (const place of containing) {
    const all = await listAll(place, signal);
    const shared = all.sessions.filter((each) => own.has(identityOf(each)));
    // What the place does not list, for example a session whose first file is elsewhere, is not
    // left out.
    const isAll = new Set(shared.map(identityOf)).size === own.size;
    if (shared.length > 0 && isAll) return { place, keys: shared.map(({ key }) => key), faults };
  }
  return undefined;
}

type Listed = { readonly sessions: SourceSession[]; readonly faults: FaultEvent[] };

async function listAll(source: Source, signal: AbortSignal | undefined): Promise<Listed> {
  const found: Listed = { sessions: [], faults: [] };
  for await (const each of listOf(source, signal)) {
    if (each.kind === "fault") found.faults.push(each);
    else found.sessions.push(each);
  }
  return found;
}

/** The same if two readers list one session. */
function identityOf({ file, key, fingerprint }: SourceSession): string {
  if (file === undefined) return `${key} ${fingerprint}`;
  try {
    return realpathSync.native(file);
  } catch (error) {
    // Gone since it was listed.
    if (isSystemError(error)) return file;
    throw error;
  }
}

/** One place, read as far as any of its parts goes. */
function mergeParts(parts: readonly ContainedPart[]): Source[] {
  const [first] = parts;
  if (first === undefined) return [];
  const keys = new Set(parts.flatMap((part) => part.keys));
  // If one of two parts lies within the other, their faults are the same.
  const faults = new Map(
    parts.flatMap((part) => part.faults).map((each) => [each.fault.message, each]),
  );
  return [{ ...first.place, part: { keys, faults: [...faults.values()] } }];
}
