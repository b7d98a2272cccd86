import type { Cut, Extracted, SourceRecord } from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import { type LogOptions, readLog } from "./head.ts";

/** How a user's text is cut, by the name that omp has for the client it was imported from. */
export type ImportedPrompts = Readonly<Record<string, Cut>>;

/**
 * What omp calls the entries that it makes of the records of another client (`--from-claude`,
 * `--from-codex`). Its own have eight characters out of others.
 */
const copiedIds: Readonly<Record<string, RegExp>> = {
  claude: /^claude-.+-(?:message|user-\d+|tool-\d+)-\d+(?:-\d+)?$/,
  codex: /^codex-[0-9a-z]+$/,
};

/** The client that an entry was imported from, in omp's words; undefined for omp's own. */
export function importedFrom(entry: SourceRecord): string | undefined {
  const id = entry.peek("id");
  if (typeof id !== "string") return undefined;
  return Object.keys(copiedIds).find((client) => copiedIds[client]?.test(id));
}

/**
 * The session that omp imported the beginning of a log from: it says so behind what it copied.
 * Undefined for a log that begins with words of its own.
 */
export async function importedSession(
  file: string,
  { dialect, options }: { readonly dialect: Dialect; readonly options: LogOptions },
): Promise<Extracted<string> | undefined> {
  for await (const batch of readLog(file, dialect, options, chunkBytes)) {
    for (const event of batch) {
      if (event.kind !== "record") continue;
      const { record } = event;
      if (record.peek("customType") === "foreign_session_import") {
        return record.record("data")?.id("sourceId");
      }
      const isOwn = record.peek("type") === "message" && importedFrom(record) === undefined;
      if (isOwn) return undefined;
    }
  }
  return undefined;
}

// Most logs begin with words of their own.
const chunkBytes = 16 * 1024;
