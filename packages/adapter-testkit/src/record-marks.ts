import { type Message, messageToWire } from "@pond/canonical";
import type { CompleteKit } from "./kit.ts";
import { leavesOf } from "./leaves.ts";
import { mapLineFiles, withFields } from "./mutate.ts";
import type { SourceFiles } from "./source-files.ts";

/** The files with a field in each record of a line file that names its file and its place there. */
export function withMarks(kit: CompleteKit, files: SourceFiles): SourceFiles {
  return mapLineFiles(kit, files, (lines, path) =>
    lines.map((line, at) =>
      withFields(line, `"pond_test_record":${JSON.stringify(`${mark}${at + 1}:${path}`)}`),
    ),
  );
}

/**
 * The places of the records that the message was made of, by file. A field that no client has stays
 * with its record, so its mark tells.
 */
export function markedRecords(message: Message): ReadonlyMap<string, ReadonlySet<number>> {
  const records = new Map<string, Set<number>>();
  for (const { value } of leavesOf(messageToWire(message))) {
    const [, number, file = ""] = typeof value === "string" ? (pattern.exec(value) ?? []) : [];
    if (number === undefined) continue;
    records.set(file, (records.get(file) ?? new Set()).add(Number(number)));
  }
  return records;
}

const mark = "pond-test-record:";
const pattern = /^pond-test-record:(\d+):(.*)$/s;
