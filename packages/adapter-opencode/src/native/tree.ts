import type { JsonObject, JsonValue, SessionId } from "@pond/canonical";
import { stringifyJson } from "@pond/canonical";
import type { RestoredFile } from "@pond/canonical/adapter";
import { fileName } from "../file-name.ts";
import { bodyOf } from "../stores/completed.ts";
import { type TreeSession, treeSession } from "../stores/tree-layout.ts";
import type { RestoredSession } from "./restored-session.ts";

/** A session as the files of a JSON tree, one for each message and each part. */
export function* writeTree(session: RestoredSession, id: SessionId): Generator<RestoredFile> {
  const { prefix, place } = placeOf(session);
  const file = (path: string, value: JsonValue): RestoredFile => ({
    session: id,
    path: `${prefix}${path}`,
    content: [stringifyJson(value)],
  });
  const body = (record: JsonObject, row: JsonObject, ids: readonly string[]) =>
    bodyOf(record, session.store === "tree" ? row : {}, ids, { isBare: false });

  // A session that was cut off stays so, because its messages are found by its file.
  if (session.isCut) yield { ...file(place.path, null), content: [""] };
  else yield file(place.path, body(session.record, session.row, ["id"]));
  for (const { message, record, row, parts, isCut } of session.messages) {
    const name = fileName(isCut ? String(record["id"]) : message.id);
    const path = `${place.messages}/${name}.json`;
    // So does a message, because its parts are found by its file.
    if (isCut) yield { ...file(path, null), content: [""] };
    else yield file(path, body(record, row, ["id", "sessionID"]));
    for (const [index, part] of parts.entries()) {
      const own = part.record["id"];
      const partName = fileName(typeof own === "string" ? own : `prt_${index}`);
      const ids = ["id", "sessionID", "messageID"];
      yield file(`${place.partsOf(name)}/${partName}.json`, body(part.record, part.row, ids));
    }
  }
  for (const [name, { value = null }] of session.sides) {
    const path = place.sides[name];
    if (path !== undefined) yield file(path, value);
  }
}

type TreePlace = { readonly prefix: string; readonly place: TreeSession };

/** The session's place in its tree, or the one that a tree would give it. */
function placeOf({ id, store, path, record }: RestoredSession): TreePlace {
  const known = store === "tree" && path !== undefined ? knownPlace(path) : undefined;
  if (known) return known;
  const project = record["projectID"];
  const folder = fileName(typeof project === "string" ? project : "global");
  const place = treeSession(`storage/session/${folder}/${fileName(id)}.json`);
  if (place === undefined) throw new TypeError(`no place in a tree for session ${id}`);
  return { prefix: "", place };
}

/** The tree may have been some folders below the one that was read. */
function knownPlace(path: string): TreePlace | undefined {
  for (const { index } of path.matchAll(/(?:^|(?<=\/))(?=storage\/|project\/)/g)) {
    const place = treeSession(path.slice(index));
    if (place) return { prefix: path.slice(0, index), place };
  }
  return undefined;
}
