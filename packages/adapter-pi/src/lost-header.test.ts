import { hash } from "node:crypto";
import { join } from "node:path";
import { jsonlRecords, restoredFiles } from "@pond/adapter-testkit";
import { type JsonValue, partsOf, stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { stemOf } from "./layout.ts";
import { piProblems } from "./problems.ts";
import { titleSlot } from "./session-file/title-slot.ts";
import { toOmp, toPi } from "./to-pi.ts";

const home = new TemporaryHome();
const prompt = message("a1", null, { role: "user", content: "weave" });
const said = message("a2", "a1", { role: "custom", customType: "x", content: "of an extension" });
const answer = message("a3", "a2", { role: "assistant", content: [{ type: "text", text: "so" }] });
const entries = [prompt, said, answer];
const log = `${project}/${logName("s1")}`;
// As the header says it, too.
const timeInName = BigInt(Date.parse("2026-03-16T08:00:00.000Z")) * 1000n;
const whole = (records: readonly JsonValue[]) => records.map((each) => `${stringifyJson(each)}\n`);
const lost =
  "no record is the header of a session: what its name and its entries say stands for it";

it.each<[string, string | Uint8Array, readonly string[]]>([
  [
    "is cut off",
    `{"type":"session","ver\n${whole(entries).join("")}`,
    [lost, expect.stringMatching("not JSON")],
  ],
  [
    "was overwritten with zeros",
    `${"\0".repeat(80)}\n${whole(entries).join("")}`,
    [lost, "zeros in place of a record"],
  ],
])("reads a log whose header %s (`adapter-integrity-no-silent-drops`)", async (_, text, faults) => {
  home.put(log, text);

  const read = await readHome(fromPi(home.path));

  expect(read.faults).toEqual(faults);
  const [{ session, messages } = { session: undefined, messages: [] }] = read.contents;
  expect(session).toMatchObject({ id: "s1", project: "--home-ada-loom--" });
  expect(session?.created_at).toBe(timeInName);
  expect(messages.map(({ id, role }) => `${id} ${role}`)).toEqual([
    "a1 user",
    "a2 user",
    "a3 assistant",
  ]);
  expect(messages.flatMap(partsOf)).toHaveLength(3);
  const restored = restoredFiles(read.lineages.flatMap((all) => [...toPi.writeNative(all)]));
  expect([...jsonlRecords(restored)]).toEqual([[log, entries]]);
  expect(piProblems(restored)).toContainEqual(expect.stringMatching("no header of a session"));
});

it.each<[readonly string[], string]>([
  [["/home/ada/loom", "/home/ada/loom"], "/home/ada/loom"],
  // The name of its folder says that this one was copied.
  [["/home/ada/loom", "/srv/loom"], "/home/ada/loom"],
  [["/srv/loom"], "--home-ada-loom--"],
  [["/home/ada/loom", "/home/ada-loom"], "--home-ada-loom--"],
])(
  "given others in its folder that worked in %j, places a log without its header in %s",
  async (others, directory) => {
    home.put(log, `{"type":"sess\n${whole(entries).join("")}`);
    for (const [at, cwd] of others.entries()) {
      home.put(`${project}/${logName(`o${at}`)}`, [header(`o${at}`, { cwd }), ...entries]);
    }

    const { contents } = await readHome(fromPi(home.path));

    expect(contents.find(({ session }) => session.id === "s1")?.session.project).toBe(directory);
  },
);

it.each([
  ["-loom", "/home/ada/loom"],
  ["-tmp-loom", "/tmp/loom"],
  [`home-loom-${hash("sha256", "/home/ada/loom")}`, "/home/ada/loom"],
])(
  "given the omp folder %s, places a log without its header in %s, where another log ran",
  async (folder, cwd) => {
    home.put(`sessions/${folder}/${logName("s1")}`, `{"type":"sess\n${whole(entries).join("")}`);
    home.put(`sessions/${folder}/${logName("s0")}`, [header("s0", { cwd }), ...entries]);

    const { contents } = await readHome(fromOmp(home.path));

    expect(contents.map(({ session }) => session.project)).toEqual([cwd, cwd]);
  },
);

it.each(["-loom", `home-loom-${hash("sha256", "/home/ada/loom")}`])(
  "given the omp folder %s, does not place a log without its header where a copied log ran",
  async (folder) => {
    home.put(`sessions/${folder}/${logName("s1")}`, `{"type":"sess\n${whole(entries).join("")}`);
    home.put(`sessions/${folder}/${logName("s0")}`, [
      header("s0", { cwd: "/srv/other-loom" }),
      ...entries,
    ]);

    const { contents } = await readHome(fromOmp(home.path));

    expect(contents.find(({ session }) => session.id === "s1")?.session.project).toBe(folder);
  },
);

it("takes the folder name as the project of a log without its header in a folder for all projects", async () => {
  home.put(`kept/${logName("s1")}`, `{"type":"sess\n${whole(entries).join("")}`);
  home.put(`kept/${logName("s0")}`, [header("s0", { cwd: "/kept" }), ...entries]);

  const { contents } = await readHome(fromPi(join(home.path, "kept")));

  expect(contents.map(({ session }) => session.project)).toEqual(["/kept", "kept"]);
});

it("keeps a title that stands last in a log of omp without its header", async () => {
  const slot = titleSlot("2026-03-16T08:00:00.000Z");
  const records = [...entries, slot];
  home.put(log, `{"type":"sess\n${whole(records).join("")}`);

  const { lineages } = await readHome(fromOmp(home.path));

  const restored = restoredFiles(lineages.flatMap((all) => [...toOmp.writeNative(all)]));
  expect([...jsonlRecords(restored)]).toEqual([[log, records]]);
});

it("reads a log of omp that lost the header after its title", async () => {
  const slot = titleSlot("2026-03-16T08:00:00.000Z");
  const [title = ""] = whole([slot]);
  home.put(log, `${title}{"type":"sess\n${whole(entries).join("")}`);

  const { contents, lineages } = await readHome(fromOmp(home.path));

  expect(contents.map(({ session }) => session.id)).toEqual(["s1"]);
  const restored = restoredFiles(lineages.flatMap((all) => [...toOmp.writeNative(all)]));
  expect([...jsonlRecords(restored)]).toEqual([[log, [slot, ...entries]]]);
});

it("marks the parent of a session unresolved if its header is lost (`session-durable-copy`)", async () => {
  const parentSession = join(home.path, `${project}/${logName("s0")}`);
  home.put(log, [header("s1", { parentSession }), ...entries]);
  const first = await readHome(fromPi(home.path));
  home.put(log, `{"type":"sess\n${whole(entries).join("")}`);
  const later = await readHome(fromPi(home.path));

  const opened = [first, later].map(({ events }) => events.find(({ kind }) => kind === "session"));
  expect(opened).toMatchObject([
    { session: { parent_session_id: "s0" } },
    { session: { id: "s1" }, unresolved: "parent" },
  ]);
});

it("marks the parents of agents unresolved if the header of their session is lost (`session-durable-copy`)", async () => {
  home.put(log, `{"type":"sess\n${whole(entries).join("")}`);
  home.put(`${stemOf(log)}/Reader.jsonl`, [header("agent"), ...entries]);

  const { events } = await readHome(fromOmp(home.path));

  const opened = events.filter(({ kind }) => kind === "session");
  expect(opened).toMatchObject([
    { session: { id: "s1" }, unresolved: "parent" },
    { session: { id: "agent", parent_session_id: "s1" }, unresolved: "parent" },
  ]);
});

it("finds the parent of a fork even if the parent's header is lost", async () => {
  home.put(log, `{"type\n${whole(entries).join("")}`);
  const parentSession = join(home.path, log);
  home.put(`${project}/${logName("s2")}`, [
    header("s2", { parentSession }),
    ...entries.slice(0, 2),
  ]);

  const { contents } = await readHome(fromPi(home.path));

  expect(
    contents.map(
      ({ session }) => `${session.id} ${session.parent_session_id} ${session.parent_message_id}`,
    ),
  ).toEqual(["s1 undefined undefined", "s2 s1 a2"]);
});

it.each<[string, string, readonly JsonValue[]]>([
  ["is not named like a log", `${project}/events.jsonl`, entries],
  ["holds no entries", log, [{ type: "turn_start" }, { type: "turn_end", message: {} }]],
  [
    "holds only entries of version 1",
    log,
    [{ type: "message", timestamp: "2026-03-16T08:00:00.000Z" }],
  ],
])("makes no session of a file without a header that %s", async (_, name, records) => {
  home.put(name, `{"type":"sess\n${whole(records).join("")}`);

  const { contents, faults } = await readHome(fromPi(home.path));

  expect(contents).toEqual([]);
  expect(faults).toContain("no record is the header of a session: not ingested");
});

it("reads the log of a sub-agent whose header shares a line with the next entry", async () => {
  home.put(log, [header("s1"), ...entries]);
  const [first = "", ...others] = whole([header("agent"), ...entries]);
  home.put(`${stemOf(log)}/Reader.jsonl`, `${first.trimEnd()}${others.join("")}`);

  const { contents, faults } = await readHome(fromOmp(home.path));

  expect(contents.map(({ session }) => `${session.id} ${session.parent_session_id}`)).toEqual([
    "s1 undefined",
    "agent s1",
  ]);
  expect(faults).toEqual(["2 records on one line: each is kept"]);
});
