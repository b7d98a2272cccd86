import { isJsonObject, type JsonObject, stringifyJson } from "@pond/canonical";
import type { Lineage, RestoredFile } from "@pond/canonical/adapter";
import { toDemo } from "../demo/to-demo.ts";
import { linesOf } from "../records.ts";

// The demo adapter, broken in one way each: the suite has to catch every one.

/** Either method of a writer. */
export type Write = (lineage: Lineage) => Iterable<RestoredFile>;

/** A writer whose lines are changed, those of a file at once; both methods write alike here. */
function lines(change: (records: readonly JsonObject[]) => readonly JsonObject[]): Write {
  return (lineage) =>
    write(lineage).map((file) => {
      const written = Array.from(file.content).flatMap((line) => linesOf(Buffer.from(line)));
      const records = written.map(({ record }) => record).filter(isJsonObject);
      return { ...file, content: change(records).map((record) => `${stringifyJson(record)}\n`) };
    });
}

function eachLine(change: (record: JsonObject) => JsonObject): Write {
  return lines((records) => records.map(change));
}

function write(lineage: Lineage): readonly RestoredFile[] {
  const isNative = lineage.root.session.source_agent === "demo";
  return [...(isNative ? toDemo.writeNative(lineage) : toDemo.writeForeign(lineage, {}))];
}

export function without(name: string): Write {
  return eachLine((record) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)),
  );
}

export function adding(name: string): Write {
  return eachLine((record) => ({ ...record, [name]: "" }));
}

/** Gives back every field, but none in its place. */
export const withReversedKeys: Write = eachLine((record) =>
  Object.fromEntries(Object.entries(record).toReversed()),
);

/** Reverses everything after the head. */
export const reversed: Write = lines(([head, ...others]) => [
  ...(head ? [head] : []),
  ...others.toReversed(),
]);

/** Says every text twice. */
export const repeated: Write = lines((records) =>
  records.flatMap((record) =>
    Object.hasOwn(record, "text") ? [record, { ...record, id: `${record["id"]}-again` }] : [record],
  ),
);

/** Leaves out every record of one role without counting that in its fidelity. */
export function omitting(role: string): Write {
  return lines((records) => records.filter((record) => record["role"] !== role));
}

/** Gives every result to a call that nobody made. */
export const answersUnknownCall: Write = eachLine((record) =>
  record["role"] === "result" ? { ...record, call: "nobody" } : record,
);

export function rounded(lineage: Lineage): RestoredFile[] {
  const round = (line: string | Uint8Array) => `${JSON.stringify(JSON.parse(String(line)))}\n`;
  return write(lineage).map((file) => ({ ...file, content: Array.from(file.content, round) }));
}

export function shortened(lineage: Lineage): RestoredFile[] {
  return write(lineage).map((file) => ({ ...file, content: [...file.content].slice(0, -1) }));
}

export function copied(lineage: Lineage): RestoredFile[] {
  return write(lineage).flatMap((file) => [file, { ...file, path: `copy-of-${file.path}` }]);
}

export function rootOnly(lineage: Lineage): readonly RestoredFile[] {
  return write({ ...lineage, descendants: [] });
}

export function cutShort(lineage: Lineage): RestoredFile[] {
  return write(lineage).map((file) => ({ ...file, content: ['{"id":'] }));
}

export function miscounted(lineage: Lineage): RestoredFile[] {
  return write(lineage).map((file) => ({ ...file, fidelity: {} }));
}

export function escaping(lineage: Lineage): RestoredFile[] {
  return write(lineage).map((file) => ({ ...file, path: `${file.session}.jsonl` }));
}

/** Believes a session that says where it wants to be written. */
export function usesSourcePath(lineage: Lineage): RestoredFile[] {
  const { source } = lineage.root.session.options;
  const path = isJsonObject(source) ? source["path"] : undefined;
  return write(lineage).map((file) => ({ ...file, path: String(path) }));
}

/** Uses every id as a file name. */
export function throwsOnHostileId(lineage: Lineage): readonly RestoredFile[] {
  const files = write(lineage);
  if (files.some(({ session }) => session.includes(".."))) throw new TypeError("no such name");
  return files;
}

/** Leaves a session its own id if that looks like one of this client. */
export function keepingIds(pattern: RegExp): Write {
  return (lineage) =>
    write(lineage).map((file) => {
      const [head, ...others] = Array.from(file.content, String);
      const id = JSON.stringify(file.session);
      return pattern.test(file.session)
        ? { ...file, content: [head?.replace(/"id":"[^"]*"/, () => `"id":${id}`) ?? "", ...others] }
        : file;
    });
}

export function onePath(lineage: Lineage): RestoredFile[] {
  return write(lineage).map((file) => ({ ...file, path: "session.jsonl" }));
}

export function changesPaths(): Write {
  let count = 0;
  return (lineage) => write(lineage).map((file) => ({ ...file, path: `${count++}.jsonl` }));
}
