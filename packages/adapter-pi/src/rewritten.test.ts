import { renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { eventText, jsonlRecords, restoredFiles } from "@pond/adapter-testkit";
import { stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { titleSlot } from "./session-file/title-slot.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();
const prompt = message("a1", null, { role: "user", content: "weave" });
const log = `${project}/${logName("s1")}`;

/** Ids of the messages whose events differ. */
async function changedBy(change: () => void): Promise<readonly string[]> {
  const texts = async () => {
    const { events } = await readHome(fromOmp(home.path));
    const messages = events.filter(({ kind }) => kind === "message" || kind === "part");
    return new Map(messages.map((event) => [idOf(eventText(event)), eventText(event)]));
  };
  const before = await texts();
  change();
  const after = await texts();
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].filter((id) => before.get(id) !== after.get(id));
}

function idOf(text: string): string {
  return /"id":"([^"]*)"/.exec(text)?.[1] ?? text;
}

it("changes one message when omp rewrites a title slot (`adapter-integrity-additive-sync`)", async () => {
  const slot = titleSlot("2026-03-16T08:00:00.000Z");
  home.put(log, [slot, header("s1"), prompt]);

  const changed = await changedBy(() => {
    home.put(log, [{ ...slot, title: "Weaving", source: "user" }, header("s1"), prompt]);
  });

  expect(changed).toEqual(["s1#header"]);
});

it("adds no message when omp gives a log its first title slot", async () => {
  home.put(log, [header("s1"), prompt]);

  const changed = await changedBy(() => {
    home.put(log, [titleSlot("2026-03-16T08:00:00.000Z"), header("s1"), prompt]);
  });

  expect(changed).toEqual(["s1#header"]);
});

it.each([
  ["the start of the next record", '{"type":"message","id":"a2"'],
  ["a run of zeros", "\0\0"],
])("keeps a last record without its newline if %s follows it", async (_, behind) => {
  const text = [header("s1"), prompt].map((record) => stringifyJson(record)).join("\n");
  home.put(log, text);

  const changed = await changedBy(() => home.put(log, `${text}${behind}`));

  expect(changed).toEqual([]);
});

it("restores a title slot with its length, byte by byte", async () => {
  const slot = titleSlot("2026-03-16T08:00:00.000Z");
  home.put(log, [slot, header("s1"), prompt]);

  const { lineages } = await readHome(fromOmp(home.path));
  const [bytes] = restoredFiles(
    [...lineages].flatMap((all) => [...toOmp.writeNative(all)]),
  ).values();

  const [first = ""] = Buffer.from(bytes ?? [])
    .toString()
    .split("\n");
  expect(Buffer.byteLength(first) + 1).toBe(256);
  expect(first).toBe(JSON.stringify(slot));
});

it("changes one message when a session moves with its directory", async () => {
  home.put(log, [header("s1"), prompt]);

  const changed = await changedBy(() => {
    const moved = header("s1", { cwd: "/home/ada/attic", previousSessionFiles: ["/old.jsonl"] });
    home.put(log, [moved, prompt]);
  });

  expect(changed).toEqual(["s1#header"]);
});

it("recognizes a session, its files and its sub-agents in a renamed folder", async () => {
  const stem = logName("s1").replace(".jsonl", "");
  home.put(log, [header("s1"), prompt]);
  home.put(`${project}/${stem}/0.bash.log`, "output");
  home.put(`${project}/${stem}/Scout.jsonl`, [header("s2"), prompt]);

  const changed = await changedBy(() => {
    renameSync(join(home.path, project), join(home.path, "sessions/-loom"));
  });

  expect(changed).toEqual([]);
});

it("reads a pruned entry under the same id", async () => {
  const result = (text: string) =>
    message("a2", "a1", { role: "toolResult", toolCallId: "c", content: [{ type: "text", text }] });
  home.put(log, [header("s1"), prompt, result("long output")]);

  const changed = await changedBy(() => {
    home.put(log, [header("s1"), prompt, result("[Output pruned]")]);
  });

  // Its one part has its position for an id.
  expect(changed).toEqual(["0"]);
});

it("ignores temporary files that the clients keep beside a log", async () => {
  home.put(log, [header("s1"), prompt]);
  for (const name of [`.${logName("s1")}.123.tmp`, `${logName("s1")}.123.bak`]) {
    home.put(`${project}/${name}`, "half");
  }
  const stem = logName("s1").replace(".jsonl", "");
  for (const name of ["draft.txt", ".draft-only-session", "1.bash.log.tmp-5f"]) {
    home.put(`${project}/${stem}/${name}`, "half");
  }

  const { contents, faults } = await readHome(fromOmp(home.path));

  expect(faults).toEqual([]);
  expect(contents.map(({ messages }) => messages.length)).toEqual([2]);
});

it("keeps a title in its place if other records stand before the header", async () => {
  const records = [
    titleSlot("1970-01-01T00:00:00.000Z"),
    prompt,
    titleSlot("1970-01-01T00:00:00.000Z"),
    header("s1"),
    titleSlot("1970-01-01T00:00:00.000Z"),
  ];
  home.put(log, records);

  const { lineages } = await readHome(fromOmp(home.path));
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  expect([...jsonlRecords(restored).values()]).toEqual([records]);
});

it.each([
  ["a title alone", [titleSlot("1970-01-01T00:00:00.000Z")], []],
  ["an empty file", [], []],
  [
    "records without a session header",
    [prompt],
    ["no record is the header of a session: not ingested"],
  ],
  [
    "a log of version 4",
    [{ kind: "header", version: 4, id: "x", createdAt: 1, cwd: "/w" }],
    ["a session of version 4, which the client does not write: not ingested"],
  ],
  [
    "a session without any time",
    [{ type: "session", id: "x", cwd: "/w" }],
    ["the session has no time: not ingested"],
  ],
])("makes no session of %s", async (_, records, reasons) => {
  home.put(log, records);

  const { contents, faults } = await readHome(fromPi(home.path));

  expect([contents, faults]).toEqual([[], reasons]);
});

it.each([
  ["pi", fromPi],
  ["omp", fromOmp],
])("refuses the printed output of a run of %s", async (client, from) => {
  const said = { type: "message_end", message: { role: "user", content: "hi" } };
  const begun = [{ type: "agent_start" }, said, { type: "agent_end", messages: [] }];
  home.put(log, [header("s1"), { type: "compaction_start", reason: "threshold" }, ...begun]);
  home.put(`${project}/${logName("s2")}`, [header("s2"), ...begun]);

  const { contents, faults } = await readHome(from(home.path));
  const reason = `output of \`${client} --mode json\`, not a session file: not ingested`;

  expect([contents, faults]).toEqual([[], [reason, reason]]);
});

it("takes the time of the first entry if the header has none", async () => {
  home.put(log, [{ type: "session", version: 3, id: "s1", cwd: "/w" }, prompt]);

  const { contents } = await readHome(fromPi(home.path));

  expect(contents.map(({ session }) => session.created_at)).toEqual([1773648000000000n]);
});

it("holds back a last line that is still being written", async () => {
  home.put(log, `${JSON.stringify(header("s1"))}\n${JSON.stringify(prompt).slice(0, 40)}`);

  const { events, faults } = await readHome(fromPi(home.path));

  expect(faults).toEqual([]);
  expect(events.filter(({ kind }) => kind === "pending")).toHaveLength(1);
});

it("reports a last line that was never finished as a fault that needs no action", async () => {
  const text = `${JSON.stringify(header("s1"))}\n${JSON.stringify(prompt).slice(0, 40)}`;
  home.put(log, text);
  const before = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(join(home.path, log), before, before);

  const { events } = await readHome(fromPi(home.path));

  const lost = events.filter(({ kind }) => kind === "fault" || kind === "pending");
  expect(lost).toMatchObject([{ kind: "fault", isLeftover: true }]);
  expect(events).toContainEqual(expect.objectContaining({ kind: "session" }));
});

it.each([
  { hours: 0, expected: [{ kind: "pending" }, { kind: "pending" }] },
  { hours: 2, expected: [{ kind: "fault" }, { kind: "fault", isLeftover: true }] },
])(
  "takes a log that ends in its header, $hours hours old, as $expected.0.kind",
  async ({ hours, expected }) => {
    const slot = JSON.stringify(titleSlot("2026-03-16T08:00:00.000Z"));
    home.put(log, `${slot}\n${JSON.stringify(header("s1")).slice(0, 20)}`);
    const written = new Date(Date.now() - hours * 3_600_000);
    utimesSync(join(home.path, log), written, written);

    const { events } = await readHome(fromOmp(home.path));

    expect(events).toMatchObject(expected);
  },
);

it("marks the entries that replaced the model's context as boundaries", async () => {
  const entry = (type: string, fields: object) => ({ type, id: type, parentId: null, ...fields });
  const records = [
    header("s1"),
    entry("compaction", { summary: "s", firstKeptEntryId: "a1", tokensBefore: 1 }),
    entry("branch_summary", { summary: "s", fromId: "root" }),
    entry("reset_boundary", {}),
    entry("model_change", { model: "a/b" }),
  ];
  home.put(log, records);

  const { contents, lineages } = await readHome(fromOmp(home.path));
  const marked = contents.flatMap(({ messages }) =>
    messages.filter(({ options }) => JSON.stringify(options).includes('"boundary":"compaction"')),
  );
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  expect(marked.map(({ id }) => id)).toEqual(["compaction", "branch_summary", "reset_boundary"]);
  expect([...jsonlRecords(restored).values()]).toEqual([records]);
});
