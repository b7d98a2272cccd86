import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringifyJson } from "@pond/canonical";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readRecords } from "./read-records.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-records-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a log of these bytes holds, an entry a line. */
async function entries(bytes: string | Uint8Array, options = {}): Promise<readonly string[]> {
  const file = join(folder, "log.jsonl");
  writeFileSync(file, bytes);
  const seen: string[] = [];
  for await (const batch of readRecords(file, options)) {
    for (const entry of batch) {
      if (entry.kind === "record") seen.push(`${entry.record.at.record}: ${textOf(entry.record)}`);
      else if (entry.kind === "pending") seen.push(`pending ${entry.location.slice(file.length)}`);
      else {
        const { record, byteOffset, reason } = entry.fault.details;
        seen.push(`fault ${record} @${byteOffset}: ${reason}`);
      }
    }
  }
  return seen;
}

function textOf(record: { peek(key: string): unknown }): string {
  const value = record.peek("a");
  return typeof value === "string" ? value : `${value}`;
}

it.each<[name: string, bytes: string | Uint8Array, seen: readonly string[]]>([
  ["nothing", "", []],
  ["records", '{"a":1}\n{"a":2}\n', ["1: 1", "2: 2"]],
  ["a last line without its newline", '{"a":1}\n{"a":2}', ["1: 1", "2: 2"]],
  ["a byte order mark and CRLF", '\ufeff{"a":1}\r\n{"a":2}\r\n', ["1: 1", "2: 2"]],
  ["blank lines", '\n{"a":1}\n  \n\t\n{"a":2}\n\n', ["2: 1", "5: 2"]],
  ["a line still being written", '{"a":1}\n{"a":', ["1: 1", "pending :2"]],
  ["half a character", Buffer.from('{"a":1}\n{"a":"é').subarray(0, -1), ["1: 1", "pending :2"]],
  ["what is no JSON", '{"a":1}\nnot JSON\n{"a":2}\n', ["1: 1", "fault 2 @8: not JSON", "3: 2"]],
  [
    "what is no object",
    '42\n"x"\n[1]\nnull\n{"a":1}\n',
    [
      "fault 1 @0: not a JSON object",
      "fault 2 @3: not a JSON object",
      "fault 3 @7: not a JSON object",
      "fault 4 @11: not a JSON object",
      "5: 1",
    ],
  ],
  ["two objects on a line", '{"a":1}{"a":2}\n', ["fault 1 @0: not JSON"]],
  [
    "zeros in place of a line",
    `{"a":1}\n${"\0".repeat(9)}\n{"a":2}\n`,
    ["1: 1", "fault 2 @8: zeros in place of a record", "3: 2"],
  ],
  [
    "zeros in front of a record",
    `\0\0\0{"a":1}\n`,
    ["fault 1 @0: zeros in place of a record", "1: 1"],
  ],
  ["zeros behind a record", `{"a":1}\0\0\0\n`, ["fault 1 @0: zeros in place of a record", "1: 1"]],
  ["zeros at the end", `{"a":1}\n\0\0\0`, ["1: 1", "pending :2"]],
  ["zeros inside a record", `{"a":"\0"}\n{"a":2}\n`, ["fault 1 @0: not JSON", "2: 2"]],
  [
    "bytes that are no UTF-8",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}\n{"a":2}\n')]),
    ["fault 1 @0: not valid UTF-8", "2: 2"],
  ],
])("reads %s (`adapter-integrity-no-silent-drops`)", async (_, bytes, seen) => {
  expect(await entries(bytes)).toEqual(seen);
});

it("reads the same whatever the chunks", async () => {
  const text = '\ufeff{"a":"é😀"}\r\n\n{"a":"x\\ud83dy"}\nnot\n{"a":3}';
  const whole = await entries(text);

  for (const chunkBytes of [1, 2, 3, 7]) expect(await entries(text, { chunkBytes })).toEqual(whole);
});

it("reports and marks a line that is too long, and keeps the rest (`adapter-bounded-values`)", async () => {
  const long = `{"a":"${"x".repeat(5000)}"}`;
  const file = join(folder, "long.jsonl");
  writeFileSync(file, `{"a":1}\n${long}\n{"a":2}\n`);
  const seen: unknown[] = [];
  for await (const batch of readRecords(file, { maxLineBytes: 1000, chunkBytes: 64 })) {
    for (const entry of batch) {
      seen.push(
        entry.kind === "record"
          ? [entry.record.at.record, entry.record.peek("pond_truncated")]
          : entry.kind,
      );
    }
  }

  expect(seen).toEqual([[1, undefined], "fault", [2, { bytes: long.length }], [3, undefined]]);
});

it("reads what is nested 10,000 deep", async () => {
  const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  writeFileSync(join(folder, "deep.jsonl"), `${deep}\n`);
  for await (const [entry] of readRecords(join(folder, "deep.jsonl"))) {
    const value = entry?.kind === "record" ? entry.record.peek("a") : undefined;
    expect(`{"a":${stringifyJson(value ?? null)}}`).toBe(deep);
  }
});
