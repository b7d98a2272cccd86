import { realpathSync } from "node:fs";
import { isSystemError, type Reader, type SourceSession } from "@pond/canonical/adapter";
import type { Source } from "./discover.ts";
import { toFault } from "./fault.ts";
import { isWithin, placesRead } from "./other-sources.ts";

/** A path that somebody asked for, in the place of its client that it lies within. */
type Part = {
  readonly place: Source;
  readonly path: string;
  /** The place's own names of the sessions there. */
  readonly keys: readonly string[];
};

/**
 * The sources as they are read. Of a path that lies within another place of its client, which lists
 * all that is there, the sessions of that place are read, as far as their files are there: they come
 * out as always, whose sub-agents they are is known, and what was seen of them is noted once.
 */
export async function wholePlaces(
  sources: readonly Source[],
  stateDirectory: string,
  signal: AbortSignal | undefined,
): Promise<Source[]> {
  const whole: Source[] = [];
  const parts: Part[] = [];
  for (const source of sources) {
    const part = await partOf(source, stateDirectory, signal);
    if (part) parts.push(part);
    else whole.push(source);
  }
  const isRead = ({ place }: Part): boolean =>
    whole.some(({ adapter, path }) => adapter === place.adapter && path === place.path);
  const others = parts.filter((part) => !isRead(part));
  const byPlace = Map.groupBy(others, ({ place }) => `${place.adapter} ${place.path}`);
  return [...whole, ...[...byPlace.values()].flatMap(together)];
}

async function partOf(
  source: Source,
  stateDirectory: string,
  signal: AbortSignal | undefined,
): Promise<Part | undefined> {
  const { adapter, path, reader, others } = source;
  if (others === undefined) return undefined;
  const read = await placesRead(stateDirectory, adapter);
  const isAround = (place: string): boolean => place !== path && isWithin(path, place);
  const around = [
    ...others.usual.filter((usual) => isAround(usual.path)),
    ...read.filter(isAround).map((place) => others.at(place)),
  ];
  const own = new Set((await listed(reader, signal)).map(markOf));
  for (const place of around) {
    const shared = (await listed(place.reader, signal)).filter((each) => own.has(markOf(each)));
    // What the place does not list, as of a session whose first file lies elsewhere, is not left out.
    const isAll = new Set(shared.map(markOf)).size === own.size;
    if (shared.length > 0 && isAll) return { place, path, keys: shared.map(({ key }) => key) };
  }
  return undefined;
}

/** What a reader lists. What it cannot list, or throws, is told of when it is listed to be read. */
async function listed(reader: Reader, signal: AbortSignal | undefined): Promise<SourceSession[]> {
  const sessions: SourceSession[] = [];
  try {
    for await (const found of reader.sessions(signal)) {
      if (found.kind === "source") sessions.push(found);
    }
  } catch {
    signal?.throwIfAborted();
  }
  return sessions;
}

/** The same where two readers list one session. */
function markOf({ file, key, fingerprint }: SourceSession): string {
  if (file === undefined) return `${key} ${fingerprint}`;
  try {
    return realpathSync(file);
  } catch (error) {
    // Gone since it was listed.
    if (isSystemError(error)) return file;
    throw error;
  }
}

/** One place, read as far as any of its parts goes. */
function together(parts: readonly Part[]): Source[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { reader } = first.place;
  const paths = parts.map(({ path }) => path);
  const keys = new Set(parts.flatMap((part) => part.keys));
  const only: Reader = {
    origin: reader.origin,
    async *sessions(signal) {
      for await (const found of reader.sessions(signal)) {
        const isThere =
          found.kind === "source"
            ? keys.has(found.key)
            : paths.some((path) => isWithin(toFault(found).location, path));
        if (isThere) yield found;
      }
    },
    fingerprint: (key) => reader.fingerprint(key),
    read: (key, signal, count) => reader.read(key, signal, count),
  };
  return [{ ...first.place, reader: only, isPart: true }];
}
