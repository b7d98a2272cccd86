import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventText, jsonlRecords, restoredFiles } from "@pond/adapter-testkit";
import { isJsonObject, type JsonObject, type JsonValue, partsOf } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { toOmp, toPi } from "./to-pi.ts";

const home = new TemporaryHome();

const name = "2025-11-20T10-00-00-000Z_5e551000-0000-4000-8000-000000000101.jsonl";
const fixture = fileURLToPath(
  new URL(`../../../fixtures/pi/version-1/input/${project}/${name}`, import.meta.url),
);
const firstVersion = (): Fields[] =>
  readFileSync(fixture, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

type Fields = { [key: string]: JsonValue };

/** As the clients do it when they load a file: in place, with ids that mean nothing. */
function migrate(entries: Fields[], seed: string): Fields[] {
  const version = entries[0]?.["version"] ?? 1;
  let previous: string | null = null;
  for (const [index, entry] of entries.entries()) {
    if (entry["type"] === "session") {
      entry["version"] = 3;
      continue;
    }
    if (version === 1) {
      entry["id"] = `${seed}${index}`;
      entry["parentId"] = previous;
      previous = `${seed}${index}`;
      const kept = entry["firstKeptEntryIndex"];
      if (typeof kept === "number") {
        entry["firstKeptEntryId"] = entries[kept]?.["id"] ?? null;
        delete entry["firstKeptEntryIndex"];
      }
    }
    const { message } = entry;
    if (isJsonObject(message) && message["role"] === "hookMessage") {
      entry["message"] = { ...message, role: "custom" };
    }
  }
  return entries;
}

/** Events but the header's, which the migration changes. */
async function entriesOf(records: readonly JsonValue[], from = fromPi): Promise<readonly string[]> {
  home.put(`${project}/${name}`, records);
  const { events } = await readHome(from(home.path));
  return events.map(eventText).filter((text) => !text.includes('#header"'));
}

it.each([
  ["pi", fromPi],
  ["omp", fromOmp],
])(
  "adds nothing when %s migrates a file of version 1 (`adapter-integrity-additive-sync`)",
  async (_, from) => {
    const before = await entriesOf(firstVersion(), from);
    const after = await entriesOf(migrate(firstVersion(), "a"), from);
    const again = await entriesOf(migrate(firstVersion(), "b"), from);

    expect(after).toEqual(before);
    expect(again).toEqual(before);
  },
);

it("adds only the message that follows the migration", async () => {
  const before = await entriesOf(firstVersion());
  const migrated = migrate(firstVersion(), "a");
  const last = migrated.at(-1)?.["id"];

  const after = await entriesOf([
    ...migrated,
    { ...object(message("n1", String(last), { role: "user", content: "and on" })) },
  ]);

  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toHaveLength(2);
});

it.each([
  ["before", firstVersion],
  ["after", () => migrate(firstVersion(), "a")],
])(
  "restores a file as it was %s its migration (`adapter-native-restore-lossless`)",
  async (_, records) => {
    home.put(`${project}/${name}`, records());

    const { lineages } = await readHome(fromPi(home.path));
    const restored = restoredFiles(lineages.flatMap((lineage) => [...toPi.writeNative(lineage)]));

    const [found] = jsonlRecords(restored).values();
    expect(found).toEqual(records());
  },
);

it("reads a restored file like the file that it came from, migrated or not", async () => {
  for (const records of [firstVersion(), migrate(firstVersion(), "a")]) {
    const before = await entriesOf(records);
    const { lineages } = await readHome(fromPi(home.path));
    const [restored] = restoredFiles([...toPi.writeNative(at(lineages, 0))]).values();
    home.put(`${project}/${name}`, restored ?? "");

    const { events } = await readHome(fromPi(home.path));

    expect(events.map(eventText).filter((text) => !text.includes('#header"'))).toEqual(before);
  }
});

it("keeps the ids of version 2, because its migration only renames a role", async () => {
  const records = (): Fields[] => [
    { ...object(header("s2")), version: 2 },
    { ...object(message("a1", null, { role: "hookMessage", customType: "x", content: "hi" })) },
  ];
  const before = await entriesOf(records());
  const after = await entriesOf(migrate(records(), "unused"));

  expect(after).toEqual(before);
  expect(before.join()).toContain('"id":"a1"');
});

it("takes the ids of a session that was never of version 1 from its log", async () => {
  home.put(`${project}/${logName("s3")}`, [
    header("s3"),
    message("a1", null, { role: "user", content: "one" }),
    message("a2", "a1", { role: "user", content: "two" }),
  ]);

  const { contents } = await readHome(fromPi(home.path));

  expect(contents.flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual([
    "s3#header",
    "a1",
    "a2",
  ]);
});

it("follows the line order of a version 1 session, whatever parents its entries name", async () => {
  const log = `${project}/${logName("s1")}`;
  const records = [
    { type: "session", id: "s1", timestamp: "2026-01-30T12:00:00.000Z", cwd: "/w" },
    message("u1", null, { role: "user", content: "What is asked?" }),
    message("a1", "u1", { role: "assistant", content: [{ type: "text", text: "This is." }] }),
    message("u2", null, { role: "user", content: "And then?" }),
    { type: "session_info", id: "i1", parentId: null, timestamp: "2026-01-30T12:00:01.000Z" },
  ];
  home.put(log, records);

  const { lineages } = await readHome(fromPi(home.path));
  const lineage = at(lineages, 0);
  const native = jsonlRecords(restoredFiles([...toPi.writeNative(lineage)]));
  const [foreign = ""] = restoredFiles([...toOmp.writeForeign(lineage, {})]).values();
  const given = Buffer.from(foreign).toString();

  expect(native.get(log)).toEqual(records);
  for (const text of ["What is asked?", "This is.", "And then?"]) expect(given).toContain(text);
});

it("gives equal entries of version 1 distinct ids", async () => {
  const same = { type: "thinking_level_change", timestamp: "2025-11-20T10:00:00.000Z" };
  home.put(`${project}/${logName("s1")}`, [
    { type: "session", id: "s1", timestamp: same.timestamp, cwd: "/w" },
    same,
    same,
  ]);

  const [content] = (await readHome(fromPi(home.path))).contents;

  const ids = content?.messages.map(({ id }) => id) ?? [];
  expect(new Set(ids).size).toBe(3);
  expect(content?.messages.flatMap(partsOf)).toEqual([]);
});

function object(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new TypeError("expected an object");
  return value;
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new TypeError(`no value at ${index}`);
  return value;
}
