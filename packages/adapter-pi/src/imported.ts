import type { Extracted, SourceRecord, TextSplitter } from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import { type LogOptions, readLog } from "./head.ts";

/** How a user's text is cut, by the name that omp has for the client it was imported from. */
export type ImportedPrompts = Readonly<Record<string, TextSplitter>>;

/**
 * The ids of the entries that omp makes from the records of another client (`--from-claude`,
 * `--from-codex`). Its own ids have eight characters from another set.
 */
const copiedIds: Readonly<Record<string, RegExp>> = {
  claude: /^claude-.+-(?:message|user-\d+|tool-\d+)-\d+(?:-\d+)?$/,
  codex: /^codex-[0-9a-z]+$/,
};

/** The client that an entry was imported from, under omp's name; undefined for omp's own. */
export function importedFrom(entry: SourceRecord): string | undefined {
  const id = entry.peek("id");
  if (typeof id !== "string") return undefined;
  return Object.keys(copiedIds).find((client) => copiedIds[client]?.test(id));
}

/**
 * The session from which omp imported the beginning of a log: it says so after what it copied.
 * Undefined for a log that begins with its own content.
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

// Most logs begin with their own content.
const chunkBytes = 16 * 1024;
