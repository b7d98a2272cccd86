import { isJsonObject } from "@pond/canonical";
import type { Lineage, RestoredFile, Writer } from "@pond/canonical/adapter";
import { toDemo } from "../demo/to-demo.ts";
import { linesOf } from "../records.ts";

// The demo adapter, broken in one way each: the suite must catch every one.

/** Either face of a writer. */
export type Write = Writer["writeNative"];

/** A writer whose every line is changed; both faces write alike here. */
function eachLine(change: (record: Record<string, unknown>) => unknown): Write {
  return (lineage) =>
    write(lineage).map((file) => ({
      ...file,
      content: Array.from(file.content, (line) => {
        const [parsed] = linesOf(Buffer.from(line));
        const record = parsed?.record;
        return isJsonObject(record) ? `${JSON.stringify(change({ ...record }))}\n` : line;
      }),
    }));
}

function write(lineage: Lineage): readonly RestoredFile[] {
  const isNative = lineage.root.session.source_agent === "demo";
  return [
    ...(isNative ? toDemo.writeNative(lineage) : toDemo.writeForeign(lineage, () => undefined)),
  ];
}

export function without(name: string): Write {
  return eachLine((record) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)),
  );
}

export function adding(name: string): Write {
  return eachLine((record) => ({ ...record, [name]: "" }));
}

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

export function onePath(lineage: Lineage): RestoredFile[] {
  return write(lineage).map((file) => ({ ...file, path: "session.jsonl" }));
}

export function restless(): Write {
  let count = 0;
  return (lineage) => write(lineage).map((file) => ({ ...file, path: `${count++}.jsonl` }));
}
