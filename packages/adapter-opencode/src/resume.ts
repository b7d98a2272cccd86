import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import {
  directoryOf,
  type Installed,
  objectOf,
  type RestoredFile,
  type Resume,
} from "@pond/canonical/adapter";
import { sessionId } from "./foreign/names.ts";
import { origin } from "./origin.ts";
import { refusedIn } from "./problems.ts";
import { millisOf } from "./records/envelope.ts";

/**
 * The client takes exported files into its database, parents first, and continues a session by its
 * id. It gives what it imports the directory that it runs in, and `run` gets no answer in another one
 * than that of the session.
 */
export function opencodeResume({ session, home, files, held }: Installed): Resume {
  const lacking = files.filter((file) => !held?.has(file.session));
  const bySession = Map.groupBy(lacking, (file) => file.session);
  const imported = [...bySession.values()].flatMap((all) => importedFile(all) ?? []);
  const imports = imported.map((file) => ["opencode", ...importOf(file), join(home, file.path)]);
  const refused = imported.flatMap((file) => {
    return refusedIn(exportedValue(file)).map((reason) => `${file.path}: ${reason}`);
  });
  const isNative = session.source_agent === origin;
  const own = isNative
    ? importedFile(files.filter((file) => file.session === session.id))
    : undefined;
  const directory = (own && directoryIn(own)) ?? directoryOf(session);
  // The store's name for a session whose id another one has is none that the client knows.
  const ownId = own && infoIn(own)["id"];
  const id = isNative ? session.id : sessionId(session.id, millisOf(session.created_at));
  return {
    commands: [...imports, ["opencode", "--session", typeof ownId === "string" ? ownId : id]],
    ...(directory !== undefined && { directory }),
    ...(refused.length > 0 && { refused }),
  };
}

/**
 * Of the files of one session the one that is imported; undefined where the client reads them by
 * itself. No version takes both halves of a session that went on in 2.x: the one with the last
 * turns counts. What 1.x said through the API of 2.x it takes in no form.
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
function importOf(file: RestoredFile): readonly string[] {
  return takesMore(file) ? ["import"] : ["session", "import"];
}

/** True for an export of 1.x, which adds to a session that is there: 2.x refuses one of its own then. */
export function takesMore(file: RestoredFile): boolean {
  return !isJsonObject(infoIn(file)["location"]);
}

/** Where the session is, which the client may have moved since it was stored; undefined where none says. */
function directoryIn(file: RestoredFile): string | undefined {
  const info = infoIn(file);
  const { directory } = isJsonObject(info["location"]) ? info["location"] : info;
  return typeof directory === "string" ? directoryOf({ project: directory }) : undefined;
}

/** What an export says of its session. */
function infoIn({ content }: RestoredFile): JsonObject {
  const [head = ""] = content;
  // What is written first ends where the messages begin.
  const opened = textOf(head);
  return opened.endsWith("[") ? objectOf(objectOf(parseJson(`${opened}]}`))["info"]) : {};
}

/** What an exported file holds. */
export function exportedValue({ content }: RestoredFile): JsonValue {
  return parseJson([...content].map(textOf).join(""));
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === "string" ? piece : Buffer.from(piece).toString();
}
