import { readdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type ReadEvent, SourceFault } from "@pond/canonical";
import {
  fileChunks,
  type Reader,
  type RecordCount,
  type RecordOutcome,
  readRecords,
  type SourceSession,
} from "@pond/canonical/adapter";
import { recordReader } from "./records.ts";

/**
 * Reads a folder of JSON Lines files, or one of these files. Each is a session: its head, then one
 * record a line.
 */
export function fromDemo(path: string): Reader {
  const isFile = path.endsWith(".jsonl");
  const folder = isFile ? dirname(path) : path;
  const fingerprint = async (key: string): Promise<string | undefined> => {
    const found = await stat(`${folder}/${key}`).catch(() => undefined);
    return found && `${found.size} ${found.mtimeMs}`;
  };
  const sessions = async function* (): AsyncGenerator<SourceSession> {
    for (const key of isFile ? [basename(path)] : (await readdir(folder)).sort()) {
      const file = `${folder}/${key}`;
      yield { kind: "source", key, file, fingerprint: (await fingerprint(key)) ?? "", bytes: 0 };
    }
  };
  return {
    origin: "demo",
    sessions,
    fingerprint,
    read: (key, _, count) => readFile(folder, key, count),
  };
}

async function* readFile(
  folder: string,
  path: string,
  count: RecordCount | undefined,
): AsyncGenerator<ReadEvent> {
  const toEvents = recordReader(path);
  const chunks = fileChunks(`${folder}/${path}`, 64 * 1024);
  for await (const batch of readRecords(chunks, { adapter: "demo", uri: path }, { count })) {
    for (const outcome of batch) yield* eventsOf(outcome, toEvents);
  }
}

/** A record that cannot be read costs only itself. */
function eventsOf(
  outcome: RecordOutcome,
  toEvents: ReturnType<typeof recordReader>,
): readonly ReadEvent[] {
  if (outcome.kind !== "record") return [outcome];
  try {
    return toEvents(outcome.record);
  } catch (error) {
    if (error instanceof SourceFault) return [{ kind: "fault", fault: error }];
    throw error;
  }
}
