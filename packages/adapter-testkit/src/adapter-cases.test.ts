import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  messageFromWire,
  parseJson,
  type SessionEvent,
  stringifyJson,
  toRfc3339,
} from "@pond/canonical";
import {
  fileChunks,
  fileReader,
  type Lineage,
  measureFiles,
  messageEvent,
  objectAt,
  openRecord,
  positionId,
  type Reader,
  type RestoredFile,
  readRecords,
  restOf,
  sessionEvent,
  textPart,
} from "@pond/canonical/adapter";
import { describe, expect, it, test, vi } from "vitest";
import { adapterCases } from "./adapter-cases.ts";
import * as inventions from "./broken/inventions.ts";
import * as readers from "./broken/readers.ts";
import * as sequences from "./broken/sequences.ts";
import * as writers from "./broken/writers.ts";
import { fromDemo } from "./demo/from-demo.ts";
import { demoProblems } from "./demo/problems.ts";
import { toDemo } from "./demo/to-demo.ts";
import type { AdapterKit } from "./kit.ts";
import { withFolder } from "./source-files.ts";

const fixtures = ["plain", "odd", "talk"].map(
  (name) => `${import.meta.dirname}/../fixtures/${name}`,
);
const demo: AdapterKit = { reader: fromDemo, writer: toDemo, fixtures, problems: demoProblems };

const inventing = "every leaf of canonical is found in talk";
const classifying = "talk tells what was typed";
const growing = "talk only adds events while";
const ordering = "the messages of talk come";

describe("an adapter that keeps the rules passes", () => {
  test.each([...adapterCases(demo)])("$rule: $name", ({ run }) => run());
});

describe("the adapter cases catch an adapter that", () => {
  it.each<[string, string, Partial<AdapterKit>]>([
    ["drops a field on restore", "native restore equals plain", native(writers.without("usage"))],
    ["adds a field on restore", "native restore equals plain", native(writers.adding("extra"))],
    ["drops a record on restore", "native restore equals plain", native(writers.shortened)],
    ["invents a file on restore", "native restore equals plain", native(writers.copied)],
    [
      "reverses the order of keys on restore",
      "odd restored and read again",
      native(writers.withReversedKeys),
    ],
    [
      "rounds long numbers on restore",
      "numbers no double carries are carried in plain",
      native(writers.rounded),
    ],
    [
      "drops a `__proto__` key on restore",
      "keys of Object.prototype are carried in plain",
      native(writers.without("__proto__")),
    ],
    ["drops a field on reading", "every leaf of plain is", reading(readers.forgetsOptions)],
    [
      "gives parts new ids at every read",
      "two reads of plain give equal events",
      reading(readers.countsIds()),
    ],
    [
      "puts its folder into the ids of parts",
      "plain gives equal rows from",
      reading(readers.idsFromPath),
    ],
    ["yields a part before its message", "plain gives every session", reading(readers.reversed)],
    ["yields every event twice", "plain gives every session", reading(readers.doubled)],
    [
      "swallows the faults of a fixture",
      "every broken line of odd is reported",
      reading(readers.withoutFaults),
    ],
    [
      "swallows the fault of half a line",
      "half a line in plain is a fault",
      reading(readers.withoutFaults),
    ],
    ["stops at a fault", "a line of NULs in plain is a fault", reading(readers.stopsAtFault)],
    [
      "names the wrong line in a fault",
      "a line that is no object in plain",
      reading(readers.misplacesFaults),
    ],
    [
      "reports a line still being written as a fault",
      "a last line of plain still",
      reading(readers.reportsPendingAsFault),
    ],
    [
      "reads only the first chunk of a file",
      "plain reads the same across",
      { reader: readers.oneChunk },
    ],
    [
      "gives every session the same fingerprint",
      "fingerprints of plain change",
      { reader: readers.sameFingerprint },
    ],
    [
      "fingerprints only the size of a file",
      "fingerprints of plain tell",
      { reader: readers.sizeFingerprint },
    ],
    [
      "opens folders and no single file",
      "a reader of one file finds its session of plain",
      { reader: readers.onlyFolders },
    ],
    ["derives message ids from line numbers", "ids of talk stay", reading(sequences.namesByLine)],
    [
      "gives copies the ids of their originals",
      "a foreign restore has",
      foreign(writers.keepingIds(/./)),
    ],
    [
      "gives copies original ids that look like its own",
      "a foreign restore has",
      foreign(writers.keepingIds(/^[0-9a-f]{8}-/)),
    ],
    [
      "leaves out descendants on a foreign restore",
      "a foreign restore writes every",
      foreign(writers.rootOnly),
    ],
    ["writes no file on a foreign restore", "a foreign restore is one", foreign(() => [])],
    [
      "writes broken JSON on a foreign restore",
      "a foreign restore is one",
      foreign(writers.cutShort),
    ],
    [
      "drops the user's words on a foreign restore",
      "a foreign restore is one",
      foreign(writers.without("text")),
    ],
    [
      "reports no fidelity of a foreign restore",
      "the fidelity of a foreign restore",
      foreign(writers.miscounted),
    ],
    [
      "writes outside its folder for a hostile session id",
      "hostile session ids stay",
      foreign(writers.escaping),
    ],
    ["writes all sessions to one file", "hostile session ids stay", foreign(writers.onePath)],
    [
      "writes different files from run to run",
      "two foreign restores are equal",
      foreign(writers.changesPaths()),
    ],
    ["invents a project", inventing, reading(inventions.inventsProject)],
    ["invents times", inventing, reading(inventions.inventsTimes)],
    ["invents ids", inventing, reading(inventions.inventsIds)],
    ["edits a text", inventing, reading(inventions.inventsText)],
    ["adds a cost to the usage", inventing, reading(inventions.inventsOptions)],
    ["classifies everything as typed", classifying, reading(inventions.callsAllTyped)],
    ["classifies everything as injected", classifying, reading(inventions.callsAllInjected)],
    ["drops injected parts", classifying, reading(inventions.losesInjected)],
    [
      "gives parts no provenance",
      "plain gives every session",
      reading(inventions.classifiesNothing),
    ],
    ["notes the number of all events in each message", growing, reading(sequences.countsTheRest)],
    ["numbers parts from the end", growing, reading(sequences.countsDown)],
    ["forgets earlier messages as a file grows", growing, reading(sequences.keepsLastTwoMessages)],
    [
      "forgets earlier messages from one state to the next",
      "talk only adds events from",
      reading(sequences.keepsLastTwoMessages),
    ],
    ["reads the newest message first", ordering, reading(sequences.newestFirst)],
    ["sorts messages by time", ordering, reading(sequences.byTime)],
    [
      "reverses the order of records on restore",
      "native restore equals talk",
      native(writers.reversed),
    ],
    [
      "takes text that its client inserts for typed text",
      classifying,
      { isInjected: (text) => text.startsWith("Let me look") },
    ],
    [
      "restores to a path that a session names",
      "hostile paths and ids in talk",
      { ...native(writers.usesSourcePath), keepsInside: true },
    ],
    [
      "restores to a path that an id spells",
      "hostile paths and ids in talk",
      { ...native(writers.escaping), keepsInside: true },
    ],
    ["crashes on hostile ids", "hostile paths and ids in talk", native(writers.throwsOnHostileId)],
    [
      "writes results of the sample that answer no call",
      "a foreign restore is one",
      foreign(writers.answersUnknownCall),
    ],
    [
      "writes generated results that answer no call",
      "generated sessions are ones",
      foreign(writers.answersUnknownCall),
    ],
    ["repeats generated texts", "generated sessions keep all", foreign(writers.repeated)],
    ["reverses generated sessions", "generated sessions keep all", foreign(writers.reversed)],
    ["drops generated prompts", "generated sessions keep all", foreign(writers.omitting("user"))],
    [
      "drops generated tool calls",
      "generated sessions keep all",
      foreign(writers.omitting("call")),
    ],
    [
      "drops generated tool results",
      "generated sessions keep all",
      foreign(writers.omitting("result")),
    ],
    [
      "gives generated results to another call",
      "generated sessions keep all",
      foreign(writers.answersUnknownCall),
    ],
    [
      "drops generated records without counting them",
      "generated sessions lose no more",
      foreign(writers.omitting("note")),
    ],
    [
      "reports no fidelity of generated sessions",
      "generated sessions lose no more",
      foreign(writers.miscounted),
    ],
    [
      "writes all generated sessions to one file",
      "generated sessions stay",
      foreign(writers.onePath),
    ],
    [
      "drops generated tool parameters on a native restore",
      "generated sessions restore",
      native(writers.without("params")),
    ],
    [
      "writes generated records that its client refuses",
      "generated sessions are ones",
      foreign(writers.without("at")),
    ],
    [
      "drops the last record of a generated session",
      "generated sessions keep all",
      foreign(writers.shortened),
    ],
    [
      "drops the content of generated results without counting it",
      "generated sessions lose no more",
      foreign(writers.without("result")),
    ],
    [
      "writes generated sessions differently from run to run",
      "generated sessions are equal",
      foreign(writers.changesPaths()),
    ],
    [
      "writes outside its folder for a generated id",
      "generated sessions stay",
      foreign(writers.escaping),
    ],
    [
      "drops generated texts on a native restore",
      "generated sessions restore natively",
      native(writers.without("text")),
    ],
  ])("%s", async (_, name, fault) => {
    const found = adapterCases({ ...demo, ...fault }).filter((one) => one.name.startsWith(name));

    expect(found).toHaveLength(1);
    await expect(found[0]?.run()).rejects.toThrow();
  });
});

it("accounts for a source time in seconds or milliseconds by the time that was read from it", async () => {
  const log = '{"id":"s","cwd":"/x","at":1772355600}\n{"id":"m","text":"hi","at":1772355601500}\n';
  const files = new Map([["plain/input/s.jsonl", Buffer.from(log)]]);

  await withFolder(files, async (folder) => {
    const kit = { ...demo, fixtures: [`${folder}/plain`], reader: fromNumberedTimes };
    const [found] = adapterCases(kit).filter(({ name }) => name.startsWith("every leaf of plain"));
    await found?.run();
  });
});

it("lets a client that rewrites its files change a session's title", async () => {
  const log = (title: string) =>
    Buffer.from(`{"id":"s","cwd":"/x","at":"2026-03-01T09:00:00.000Z","title":"${title}"}\n`);
  const files = new Map([
    ["plain/growth/1/s.jsonl", log("New chat")],
    ["plain/input/s.jsonl", log("The heddle")],
  ]);

  await withFolder(files, async (folder) => {
    const kit = { ...demo, ...reading(withTitles), fixtures: [`${folder}/plain`] };
    const growth = adapterCases(kit).filter(({ name }) => name.endsWith("from state to state"));
    expect(growth).toHaveLength(1);
    await growth[0]?.run();
  });
});

it("gives fields nobody expected to a file that is one JSON document", async () => {
  const document = '{\n  "id": "s",\n  "cwd": "/x",\n  "at": "2026-03-01T09:00:00.000Z"\n}\n';
  const files = new Map([["plain/input/s.json", Buffer.from(document)]]);

  await withFolder(files, async (folder) => {
    const cases = adapterCases({
      reader: fromDocuments,
      writer: { ...toDemo, writeNative: writeDocument },
      fixtures: [`${folder}/plain`],
    });
    const [plain] = cases.filter(({ name }) => name === "native restore equals plain");
    const [changed] = cases.filter(({ name }) => name === "10,000 levels are carried in plain");

    expect(plain).toBeDefined();
    await plain?.run();
    await expect(changed?.run()).rejects.toThrow("s.json, record 1: pond_test is missing");
  });
});

it.each<[string, Partial<AdapterKit>]>([
  ["no file of it counts as ingested", { isIngested: () => false }],
  ["no record of it is found", { records: () => new Map() }],
])("fails every case of a fixture if %s", async (_, options) => {
  const kit = { ...demo, fixtures: fixtures.slice(0, 1), generated: { runs: 1 }, ...options };
  const ofFixture = adapterCases(kit).filter(({ name }) => / plain\b/.test(name));
  const failures = await Promise.all(
    ofFixture.map(({ run }) =>
      run().then(
        () => "",
        ({ message }: Error) => message,
      ),
    ),
  );

  expect(failures.length).toBeGreaterThan(20);
  expect(failures.filter((each) => !each.includes("plain/input holds no record"))).toEqual([]);
});

it("logs which cases it leaves out and why", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const cases = adapterCases({ ...demo, isLineFile: () => false });
  for (const { name, run } of cases) if (/^(?:ids|fingerprints) of plain /.test(name)) await run();

  expect(log.mock.calls.flat()).toEqual([
    "left out: ids of plain stay where a record before them is gone: no file of it holds a record a line",
    "left out: fingerprints of plain tell an edit of equal length: none of its files is JSON",
  ]);
  log.mockRestore();
});

/** Gives each title a message of its own, as a reader does that finds it in the head. */
const withTitles = readers.each((event) => {
  if (event.kind !== "session") return [event];
  const { id, created_at, options } = event.session;
  const source = { record: restOf(objectAt(options, "source")), titleField: "title" };
  const fields = { id: `${id}#title`, session_id: id, timestamp: toRfc3339(created_at) };
  const message = messageFromWire({ ...fields, role: "system", content: "", options: { source } });
  return [event, { kind: "message", message, records: 0 }];
});

/** A client with one document for each session. The reader forgets the fields it does not know. */
function fromDocuments(path: string): Reader {
  return fileReader("demo", path, () => {
    const folder = path.endsWith(".json") ? dirname(path) : path;
    const filesOf = (key: string) => ({ kind: "files", key, file: `${folder}/${key}` }) as const;
    return {
      all: () => [filesOf("s.json")],
      filesOf,
      measure: ({ file }) => measureFiles(file),
      async *read({ key, file }) {
        const at = { adapter: "demo", uri: key, record: 1 };
        const record = openRecord(at, parseJson(readFileSync(file, "utf8")));
        yield sessionEvent({
          id: record.requireString("id"),
          sourceAgent: "demo",
          createdAt: record.requireTimestamp("at"),
          project: record.requireString("cwd"),
          source: {},
        });
      },
    };
  });
}

function* writeDocument({ root: { session } }: Lineage): Generator<RestoredFile> {
  const { id, project: cwd, created_at } = session;
  const content = [stringifyJson({ id, cwd, at: toRfc3339(created_at) })];
  yield { session: id, path: "s.json", content };
}

/** A client that writes seconds in its head, and milliseconds in its records. */
function fromNumberedTimes(folder: string): Reader {
  return {
    ...fromDemo(folder),
    async *read(key) {
      let session: SessionEvent | undefined;
      const at = { adapter: "demo", uri: key };
      for await (const batch of readRecords(fileChunks(`${folder}/${key}`), at)) {
        for (const outcome of batch) {
          if (outcome.kind !== "record") continue;
          const { record } = outcome;
          const [id, rest] = [record.requireString("id"), () => ({ rest: record.rest() })];
          if (session === undefined) {
            const [project, createdAt] = [record.requireString("cwd"), record.seconds("at")];
            if (createdAt === undefined) throw new Error("no time");
            const init = { id, sourceAgent: "demo", project, createdAt };
            session = sessionEvent({ ...init, source: rest() });
            yield session;
            continue;
          }
          const [text, timestamp] = [record.requireString("text"), record.milliseconds("at")];
          if (timestamp === undefined) throw new Error("no time");
          const message = messageEvent(session, "user", { id, timestamp, source: rest() });
          yield message;
          yield textPart(message, { id: positionId(0), provenance: "conversational", text });
        }
      }
    },
  };
}

function native(writeNative: writers.Write): Partial<AdapterKit> {
  return { writer: { ...toDemo, writeNative } };
}

function foreign(writeForeign: writers.Write): Partial<AdapterKit> {
  return { writer: { ...toDemo, writeForeign } };
}

function reading(change: readers.Change): Partial<AdapterKit> {
  return { reader: (folder) => readers.changed(folder, change) };
}

it("refuses a kit without fixtures, whose cases would pass for any reader", () => {
  expect(() => adapterCases({ reader: fromDemo, writer: toDemo, fixtures: [] })).toThrow(
    "fixtures: it names no folder",
  );
});
