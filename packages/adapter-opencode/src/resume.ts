import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import {
  directoryOf,
  type InstalledSession,
  objectOf,
  type RestoredFile,
  type Resume,
} from "@pond/canonical/adapter";
import { sessionId } from "./foreign/names.ts";
import { origin } from "./origin.ts";
import { importProblems } from "./problems.ts";
import { millisOf } from "./records/envelope.ts";

/**
 * The commands that resume a session. The client imports exported files into its database, parents
 * first, and continues a session by its id. It gives what it imports the directory that it runs in,
 * and `run` gets no answer in any other directory than the session's.
 */
export function opencodeResume({ session, home, files, existing }: InstalledSession): Resume {
  const missing = files.filter((file) => !existing?.has(file.session));
  const bySession = Map.groupBy(missing, (file) => file.session);
  const imported = [...bySession.values()].flatMap((all) => importedFile(all) ?? []);
  const imports = imported.map((file) => [
    "opencode",
    ...importCommand(file),
    join(home, file.path),
  ]);
  const problems = imported.flatMap((file) => {
    return importProblems(exportedValue(file)).map((reason) => `${file.path}: ${reason}`);
  });
  const isNative = session.source_agent === origin;
  const own = isNative
    ? importedFile(files.filter((file) => file.session === session.id))
    : undefined;
  const directory = (own && directoryIn(own)) ?? directoryOf(session);
  // The store's name for a session whose id another one has is unknown to the client.
  const ownId = own && infoIn(own)["id"];
  const id = isNative ? session.id : sessionId(session.id, millisOf(session.created_at));
  return {
    commands: [...imports, ["opencode", "--session", typeof ownId === "string" ? ownId : id]],
    ...(directory !== undefined && { directory }),
    ...(problems.length > 0 && { problems }),
  };
}

/**
 * The one of a session's files that is imported; undefined if the client reads them by itself. No
 * version takes both halves of a session that continued in 2.x: the one with the last turns counts.
 * The client takes what 1.x said through the API of 2.x in no form.
 */
export function importedFile(files: readonly RestoredFile[]): RestoredFile | undefined {
  const exported = files.filter(({ path }) => !isTreeFile(path) && path.endsWith(".json"));
  const [first, later] = exported;
  return later && hasMessages(later) && !isSame(later) ? later : first;
}

/** Only releases that still have a JSON tree read one, and they find it by themselves. */
function isTreeFile(path: string): boolean {
  return /(?:^|\/)storage\//.test(path) && !basename(path).startsWith("pond");
}

function hasMessages({ content }: RestoredFile): boolean {
  const [, next = "]"] = content;
  return !/^\s*\]/.test(textOf(next));
}

function isSame(file: RestoredFile): boolean {
  return objectOf(objectOf(exportedValue(file))["pond"])["same"] === true;
}

/** Releases of 2.x have another command than those of 1.x. */
function importCommand(file: RestoredFile): readonly string[] {
  return addsToExisting(file) ? ["import"] : ["session", "import"];
}

/**
 * True for an export of 1.x, which adds to an existing session; 2.x then refuses one of its own.
 */
export function addsToExisting(file: RestoredFile): boolean {
  return !isJsonObject(infoIn(file)["location"]);
}

/**
 * The session's directory, which the client may have changed since it was stored; undefined if
 * there is none.
 */
function directoryIn(file: RestoredFile): string | undefined {
  const info = infoIn(file);
  const { directory } = isJsonObject(info["location"]) ? info["location"] : info;
  return typeof directory === "string" ? directoryOf({ project: directory }) : undefined;
}

/** What an export says about its session. */
function infoIn({ content }: RestoredFile): JsonObject {
  const [head = ""] = content;
  // The first chunk ends where the messages begin.
  const opened = textOf(head);
  return opened.endsWith("[") ? objectOf(objectOf(parseJson(`${opened}]}`))["info"]) : {};
}

/** The content of an exported file. */
export function exportedValue({ content }: RestoredFile): JsonValue {
  return parseJson([...content].map(textOf).join(""));
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === "string" ? piece : Buffer.from(piece).toString();
}
