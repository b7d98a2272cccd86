import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { recordCountOf } from "../event.ts";
import { stringifyJson } from "../json.ts";
import { unseal } from "./extracted.ts";
import { type RecordOutcome, readRecords } from "./read-records.ts";
import { RecordCount } from "./record-count.ts";
import { fileChunks } from "./source-files.ts";

const notWhole = "not a whole record; what else is on its line is kept";
const source = { adapter: "demo", uri: "a.jsonl" };
const halfCharacter = Buffer.from('{"a":"é').subarray(0, -1);

it.each<[string, string | Buffer, readonly string[]]>([
  [
    "records without the blank lines between them",
    '{"a":1}\n\n \r\n{"b":2}\n',
    ['1 {"a":1}', '4 {"b":2}'],
  ],
  ["a last record without its newline", '{"a":1}', ['1 {"a":1}']],
  [
    "records with a byte order mark and CRLF",
    '\ufeff{"a":1}\r\n{"a":2}\r\n',
    ['1 {"a":1}', '2 {"a":2}'],
  ],
  [
    "a last line cut within a character as pending",
    Buffer.from('{"a":1}\n{"a":"é').subarray(0, -1),
    ['1 {"a":1}', "pending a.jsonl:2"],
  ],
  [
    "every record of a shared line, and a fault that costs nothing",
    '{"a":1}{"a":9007199254740993} {}\n{}\n',
    [
      "1@0 3 records on one line: each is kept",
      '1 {"a":1}',
      '1 {"a":9007199254740993}',
      "1 {}",
      "2 {}",
    ],
  ],
  [
    "a record after one that was cut off, wherever that was",
    [
      '{"type":"one","te{"a":1}',
      '{"type":"a{b{"a":2}',
      '{"type":"a\\{"a":3}',
      '{"type":"a\\u00{"a":4}',
      '{"type":tru{"a":5}',
      '{"type":-1.{"a":6}',
      '{"type":"x",{"a":7}',
      '{"b":[{"c":{"d":[]}{"a":8}',
      '{{"a":9}',
      '{"b":"x\0\0\0{"a":10}',
      "",
    ].join("\n"),
    Array.from({ length: 10 }, (_, index) => [
      expect.stringMatching(RegExp(`^${index + 1}@\\d+ ${notWhole}$`)),
      `${index + 1} {"a":${index + 1}}`,
    ]).flat(),
  ],
  [
    "a record before one that was cut off or overwritten",
    '{"a":1}{"b":\n{"a":2}}"x"}\n{"a":3}\0\0{"b\n',
    [
      '1 {"a":1}',
      `1@7 ${notWhole}`,
      '2 {"a":2}',
      `2@20 ${notWhole}`,
      '3 {"a":3}',
      `3@33 ${notWhole}`,
    ],
  ],
  [
    "records around half a character",
    Buffer.concat([
      Buffer.from('{"a":"é"}{"b":"'),
      Buffer.from("c3", "hex"),
      Buffer.from('{"a":"ü"}\n'),
    ]),
    ['1 {"a":"é"}', `1@10 ${notWhole}`, '1 {"a":"ü"}'],
  ],
  [
    "one fault for consecutive records that are not UTF-8",
    Buffer.from('{"a":1}{"a":"\xff"}{"a":"\xff"}{"a":2}\n', "latin1"),
    ['1 {"a":1}', `1@7 ${notWhole}`, '1 {"a":2}'],
  ],
  ["a record after one that is not JSON", '{"a":01}{"a":1}\n', [`1@0 ${notWhole}`, '1 {"a":1}']],
  [
    "no part of a broken line as a record",
    [
      '{"a":{"b":1}x}',
      '{"a":{"b":1}x{"c":1}',
      '{"a":{"b":1}{"c":1}}',
      '{"a":"b"c{"d":1}"}',
      '{"a":[{"b":1}',
      '{"a":"say {"b":1}"}',
      '[1]{"a":1}',
      'log: {"a":1}',
      "",
    ].join("\n"),
    Array.from({ length: 8 }, (_, index) =>
      expect.stringMatching(RegExp(`^${index + 1}@[0-9]+ not JSON: `)),
    ),
  ],
  [
    "two records on a last line without its newline",
    '{"a":1}{"a":2}',
    ["1@0 2 records on one line: each is kept", '1 {"a":1}', '1 {"a":2}'],
  ],
  [
    "a record still being written after another as pending",
    '{"a":1}{"a":',
    ['1 {"a":1}', "pending a.jsonl:1"],
  ],
  [
    "half a character after a record as pending",
    Buffer.from('{"a":1}{"a":"é').subarray(0, -1),
    ['1 {"a":1}', "pending a.jsonl:1"],
  ],
  [
    "a record still being written after a cut-off and a whole one as pending",
    '{"a":"b{"a":1}{"a":"b',
    [`1@0 ${notWhole}`, '1 {"a":1}', "pending a.jsonl:1"],
  ],
  [
    "a fault for zeros inside a record",
    '{"a":"\0"}\n{}\n',
    [expect.stringMatching(/^1@0 not JSON: /), "2 {}"],
  ],
  ["numbers exactly as they are written", '{"a":9007199254740993}', ['1 {"a":9007199254740993}']],
  [
    "a fault for a line that is not an object",
    '[1]\nnull\n{"a":1}\n',
    ["1@0 not a JSON object", "2@4 not a JSON object", '3 {"a":1}'],
  ],
  [
    "a fault for a line that is not UTF-8",
    Buffer.from("ff0a7b7d0a", "hex"),
    ["1@0 not UTF-8", "2 {}"],
  ],
  [
    "faults for zeros, and the record between them",
    '\0\0\n\0\0{"a":1}\0\n',
    ["1@0 zeros in place of a record", "2@3 zeros in place of a record", '2 {"a":1}'],
  ],
  ["a line still being written as pending", '{"a":1}\n{"b":', ['1 {"a":1}', "pending a.jsonl:2"]],
  ["zeros still being written as pending", '{"a":1}\n\0\0', ['1 {"a":1}', "pending a.jsonl:2"]],
  [
    "zeros after a last record as pending, but not the record",
    '\0{"a":1}\0\0',
    ['1 {"a":1}', "pending a.jsonl:1"],
  ],
  [
    "a record still being written and zeros after it as pending",
    '{"a":1}{"a":\0\0',
    ['1 {"a":1}', "pending a.jsonl:1"],
  ],
  [
    "a fault and a sentinel for a line past the bound (`adapter-bounded-values`)",
    `{"a":"${"x".repeat(100)}"}\n{}\n`,
    [
      "1@0 a line of 108 bytes is too long to be kept",
      '1 {"pond_truncated":{"bytes":108}} truncated',
      "2 {}",
    ],
  ],
  ["a long line still being written as pending", `{"a":"${"x".repeat(100)}`, ["pending a.jsonl:1"]],
])("yields %s", async (_, text, expected) => {
  expect((await outcomesOf(text)).map(describeOutcome)).toEqual(expected);
});

it.each<[string, string | Buffer, readonly unknown[]]>([
  ["a last record without its newline", '{"a":1}\n{"a":2}', ['1 {"a":1}', '2 {"a":2}']],
  ["blanks at its end as nothing", '{"a":1}\n  ', ['1 {"a":1}']],
  ["a torn record as a fault", '{"a":1}\n{"b":', ['1 {"a":1}', /^2@8 not JSON: .*, no action$/]],
  ["half a character as a fault", halfCharacter, ["1@0 not UTF-8, no action"]],
  ["a torn record after another", '{"a":1}{"a":', ['1 {"a":1}', `1@7 ${notWhole}, no action`]],
  ["zeros as a fault", '{"a":1}\n\0', ['1 {"a":1}', "2@8 zeros in place of a record, no action"]],
  [
    "zeros after a record as a fault",
    '{"a":1}\0',
    ["1@0 zeros in place of a record, no action", '1 {"a":1}'],
  ],
  [
    "a long line as a fault and a sentinel",
    `{"a":"${"x".repeat(100)}`,
    [
      "1@0 a line of 106 bytes is too long to be kept, no action",
      '1 {"pond_truncated":{"bytes":106}} truncated',
    ],
  ],
])("yields %s, of a source that is left alone", async (_, text, expected) => {
  const outcomes = await outcomesOf(text, () => true);

  const described = outcomes.map((outcome) => {
    const needsNoAction = outcome.kind === "fault" && outcome.isLeftover === true;
    return `${describeOutcome(outcome)}${needsNoAction ? ", no action" : ""}`;
  });
  expect(described).toEqual(
    expected.map((each) => (each instanceof RegExp ? expect.stringMatching(each) : each)),
  );
});

it("asks whether a source is left alone only for a last line that is no record", async () => {
  const isLeftAlone = vi.fn(() => true);

  await outcomesOf('{"a":1}\nnot\n{"a":2}', isLeftAlone);

  expect(isLeftAlone).not.toHaveBeenCalled();
});

async function outcomesOf(
  text: string | Buffer,
  isLeftAlone?: () => boolean,
): Promise<readonly RecordOutcome[]> {
  const chunks = async function* () {
    yield Buffer.from(text);
  };
  const count = new RecordCount();
  const read = readRecords(chunks(), source, { maxLineBytes: 80, count, isLeftAlone });
  const outcomes = (await Array.fromAsync(read)).flat();
  // Each is one of what came of it (`adapter-integrity-no-silent-drops`).
  const recordCounts = outcomes.map((outcome) =>
    outcome.kind === "record" ? 1 : recordCountOf(outcome),
  );
  expect(count.records).toBe(recordCounts.reduce((sum, records) => sum + records, 0));
  return outcomes;
}

function describeOutcome(outcome: RecordOutcome): string {
  if (outcome.kind === "pending") return `pending ${outcome.location}`;
  if (outcome.kind === "fault") {
    const { record, byteOffset, reason } = outcome.fault.details;
    return `${record}@${byteOffset} ${reason}`;
  }
  const { record, isTruncated } = outcome;
  const mark = isTruncated ? " truncated" : "";
  return `${record.at.record} ${stringifyJson(unseal(record.whole()))}${mark}`;
}

it("marks a fault for whole records that share a line as needing no action", async () => {
  const chunks = async function* () {
    yield Buffer.from('{"a":1}{"a":2}\n{"a":3}{"a"\n');
  };

  const outcomes = (await Array.fromAsync(readRecords(chunks(), source))).flat();

  const [shared, broken] = outcomes.filter(({ kind }) => kind === "fault");
  expect(shared).toMatchObject({ records: 0, isLogWhole: true, isLeftover: true });
  expect(broken).not.toHaveProperty("isLeftover");
});

it("yields all of 300,000 records on one line", async () => {
  const many = 300_000;
  const chunks = async function* () {
    yield Buffer.from(`${"{}".repeat(many)}\n{}\n`);
  };

  const outcomes = (await Array.fromAsync(readRecords(chunks(), source))).flat();

  expect(outcomes.filter(({ kind }) => kind === "record")).toHaveLength(many + 1);
});

it("says where and why a line is not JSON", async () => {
  const chunks = async function* () {
    yield Buffer.from('{}\n{"a":}\n');
  };

  const [, outcome] = (await Array.fromAsync(readRecords(chunks(), source))).flat();

  expect(outcome).toMatchObject({ kind: "fault", fault: { code: "source_fault" } });
  expect(outcome?.kind === "fault" && outcome.fault.message).toMatch(
    /^demo: a\.jsonl:2: not JSON: /,
  );
});

it("stops when its signal is aborted", async () => {
  const chunks = async function* () {
    yield Buffer.from("{}\n");
  };

  const read = Array.fromAsync(readRecords(chunks(), source, { signal: AbortSignal.abort() }));

  await expect(read).rejects.toThrow("aborted");
});

it("reads a file the same in chunks of any size, even 10,000 levels deep", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-records-"));
  const file = join(folder, "a.jsonl");
  const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  const text = `\ufeff{"a":"é😀"}\r\n\n${deep}\nnot\n{"a":3}`;
  writeFileSync(file, text);
  try {
    const read = async (chunkBytes?: number) => {
      const outcomes = await Array.fromAsync(readRecords(fileChunks(file, chunkBytes), source));
      return outcomes.flat().map((outcome) => {
        return outcome.kind === "record"
          ? stringifyJson(unseal(outcome.record.whole()))
          : outcome.kind;
      });
    };

    expect(await read()).toEqual(['{"a":"é😀"}', deep, "fault", '{"a":3}']);
    for (const chunkBytes of [1, 2, 3, 7]) expect(await read(chunkBytes)).toEqual(await read());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("replaces a line of more values than fit into memory by a sentinel, and reads on (`adapter-bounded-values`)", async () => {
  const dense = `{"a":[${"0,".repeat(8_000_000)}0]}`;
  const text = `{"a":"${",".repeat(17_000_000)}"}`;
  const chunks = async function* () {
    yield Buffer.from(`${dense}\n${text}\n{"b":1}\n${dense}`);
  };

  const outcomes = (await Array.fromAsync(readRecords(chunks(), source))).flat();

  expect(outcomes).toMatchObject([
    {
      kind: "fault",
      fault: { details: { reason: "more than 8000000 values are not kept" } },
      records: 0,
    },
    { kind: "record", isTruncated: true },
    { kind: "record", isTruncated: false },
    { kind: "record", isTruncated: false },
    { kind: "pending", location: "a.jsonl:4" },
  ]);
});
