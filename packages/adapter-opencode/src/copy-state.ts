import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { type CopyState, objectOf, type RestoredFile } from "@pond/canonical/adapter";
import { discover, rootOf } from "./discover.ts";
import { addsToExisting, exportedValue, importedFile } from "./resume.ts";
import { isSqliteError } from "./stores/database.ts";
import { withSession } from "./stores/home.ts";
import { openFault } from "./stores/open-databases.ts";
import type { StoredMessage, StoredSession } from "./stores/stored.ts";

/**
 * What the client has of the session in these files. An import keeps all ids, and adds only what
 * has no id there yet. Nothing says whether the last turns were never there, or were deleted since.
 *
 * @param home - The client's data folder.
 * @throws {SourceFault} if its database cannot be read.
 */
export function opencodeCopyState(home: string, files: readonly RestoredFile[]): CopyState {
  const file = importedFile(files);
  if (file === undefined || !existsSync(home)) return "missing";
  const { id, messages } = exportedIn(file);
  const stored = storedPartIds(home, id);
  if (stored === undefined) return "missing";
  const isStored = ({ id, parts }: ExportedMessage): boolean => {
    const found = stored.get(id);
    return found !== undefined && parts.every((part) => found.has(part));
  };
  if (messages.every(isStored)) return "current";
  const known = new Set(files.flatMap((each) => exportedIn(each).messages).map(({ id }) => id));
  const isOlder = messages.slice(0, stored.size).every(({ id }) => stored.has(id));
  const hasNewMessages = [...stored.keys()].some((each) => !known.has(each));
  return isOlder && !hasNewMessages && addsToExisting(file) ? "earlier" : "other";
}

/** The id of a message, and the ids of its parts if they are records of their own. */
type ExportedMessage = { readonly id: string; readonly parts: readonly string[] };

function exportedIn(file: RestoredFile): { id: string; messages: readonly ExportedMessage[] } {
  const { info, messages } = objectOf(exportedValue(file));
  const list = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return { id: idOf(info), messages: list.map(exportedMessage) };
}

function exportedMessage(message: JsonObject): ExportedMessage {
  const { info = message, parts } = message;
  return { id: idOf(info), parts: Array.isArray(parts) ? parts.map(idOf) : [] };
}

function idOf(record: JsonValue | undefined): string {
  return isJsonObject(record) ? String(record["id"]) : "";
}

/** The parts of each whole message that the client has of a session; undefined if it has none. */
function storedPartIds(folder: string, id: string): Map<string, ReadonlySet<string>> | undefined {
  for (const found of discover(rootOf(folder))) {
    if (found.kind !== "home" || found.home.prefix !== "") continue;
    // The client reads the first database: others belong to other channels, or were set aside.
    // Releases with a database read no tree.
    const databases = found.home.databases.slice(0, 1);
    const hasTree = found.home.hasTree && databases.length === 0;
    const home = { ...found.home, databases, hasTree };
    try {
      const [stored] = withSession(home, id, new Map(), (session) => [
        session && partIdsOf(session),
      ]);
      return stored;
    } catch (error) {
      throw isSqliteError(error) ? openFault(join(folder, ...databases), error).fault : error;
    }
  }
  return undefined;
}

function partIdsOf(session: StoredSession): Map<string, ReadonlySet<string>> {
  const messages = [...session.messages()].filter((event) => event.kind === "message");
  // What was said in 1.x through its API of 2.x is in no file that is imported.
  const isImported = ({ isCut, schema }: StoredMessage): boolean =>
    !isCut && (schema === 1 || session.isMixed !== true);
  return new Map(messages.filter(isImported).map(partsById));
}

function partsById({ record, parts }: StoredMessage): [string, ReadonlySet<string>] {
  const ids = parts.map((part) => String(part.record.peek("id")));
  return [String(record.peek("id")), new Set(ids)];
}
