import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { eventText, readFolder, restoredFiles } from "@pond/adapter-testkit";
import type { JsonValue } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { stemOf } from "./layout.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();
const [root, fork] = [`${project}/${logName("root")}`, `${project}/${logName("fork")}`];
const say = (id: string, parent: string | null): JsonValue =>
  message(id, parent, { role: "user", content: id, attribution: "user" });

/** A session with a sub-agent and a file beside it, and a fork of it. */
function putSessions(): void {
  home.put("agent.db", "");
  home.put(root, [header("root"), say("a1", null), say("a2", "a1")]);
  home.put(`${stemOf(root)}/Alpha.jsonl`, [header("alpha"), say("b1", null)]);
  home.put(`${stemOf(root)}/Alpha.Beta.jsonl`, [header("beta"), say("c1", null)]);
  home.put(`${stemOf(root)}/Alpha.md`, "found");
  const fields = { parentSession: "root" };
  home.put(fork, [header("fork", fields), say("a1", null), say("d1", "a1")]);
  home.put(`${stemOf(fork)}/Alpha.jsonl`, [header("alpha"), say("b1", null)]);
}

/** Moves a session to the archive, as `omp gc` does. */
function archive(key: string): void {
  const file = join(home.path, key);
  home.put(`archive/${key}.gz`, gzipSync(readFileSync(file)));
  rmSync(file);
  const side = join(home.path, "archive", stemOf(key));
  mkdirSync(dirname(side), { recursive: true });
  renameSync(join(home.path, stemOf(key)), side);
}

/** Everything that is read, and the keys it is read by. */
async function read(path = "", from = fromOmp) {
  const reader = from(join(home.path, path));
  const { events, faults } = await readHome(reader);
  const found = (await Array.fromAsync(reader.sessions())).filter((each) => each.kind === "source");
  const marks = await Promise.all(found.map(({ key }) => reader.fingerprint(key)));
  expect(marks).toEqual(found.map(({ fingerprint }) => fingerprint));
  return { events: events.map(eventText).sort(), keys: found.map(({ key }) => key).sort(), faults };
}

it.each([
  ["the parent session", [root]],
  ["a fork", [fork]],
  ["all of them", [root, fork]],
])("reads the same sessions wherever they lie: %s archived", async (_, keys) => {
  putSessions();
  const before = await read();
  expect(before.keys).toHaveLength(4);

  for (const key of keys) archive(key);

  expect(await read()).toEqual(before);
  expect(before.faults).toEqual([]);
});

it("reads the archive, a folder of it and a file of it by their paths", async () => {
  putSessions();
  const before = await read();
  const forked = await read(fork);
  archive(root);
  archive(fork);

  for (const path of ["archive", "archive/sessions", `archive/${project}`]) {
    expect(await read(path)).toEqual(before);
  }
  expect(await read(`archive/${fork}.gz`)).toEqual(forked);
  expect((await read("sessions")).keys).toEqual([]);
  expect((await read("", fromPi)).keys).toEqual([]);
  const agent = `${stemOf(root)}/Alpha.jsonl`;
  expect((await read(`archive/${agent}`)).keys).toEqual([agent]);
});

it("reads a session that went on after it was archived, and adds what it lacks from the archive", async () => {
  putSessions();
  archive(root);
  home.put(root, [header("root"), say("a1", null), say("a2", "a1"), say("e1", "a2")]);
  home.put(`${stemOf(root)}/Alpha.jsonl`, [header("alpha"), say("b1", null), say("e2", "b1")]);

  const { events, keys } = await read();

  expect(keys).toHaveLength(4);
  for (const id of ["a1", "a2", "e1", "b1", "e2", "c1"]) {
    expect(events.join()).toContain(`"id":"${id}"`);
  }
});

it("reads every file of a session whose archiving broke off", async () => {
  putSessions();
  const before = await read();
  cpSync(join(home.path, stemOf(root)), join(home.path, "kept"), { recursive: true });
  archive(root);
  rmSync(join(home.path, "archive", stemOf(root)), { recursive: true });
  renameSync(join(home.path, "kept"), join(home.path, stemOf(root)));

  expect(await read()).toEqual(before);
});

it("reads a log that an older release archived without compressing it", async () => {
  putSessions();
  const before = await read(fork);
  const log = readFileSync(join(home.path, fork));
  archive(fork);
  rmSync(join(home.path, `archive/${fork}.gz`));
  home.put(`archive/${fork}`, log);

  expect((await read()).keys).toContain(fork);
  expect(await read(`archive/${fork}`)).toEqual(before);
});

it("restores an archived session to its place among the live sessions", async () => {
  putSessions();
  const files = await readFolder(join(home.path, "sessions"));
  archive(root);
  archive(fork);

  const { lineages } = await readHome(fromOmp(home.path));
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  expect([...restored.keys()].sort()).toEqual(
    [...files.keys()].map((path) => `sessions/${path}`).sort(),
  );
});

it("reports a broken archived log, and reads the other logs (`adapter-integrity-no-silent-drops`)", async () => {
  putSessions();
  const records = Array.from({ length: 2000 }, (_, index) => say(`z${index}`, null));
  const log = [header("broken"), ...records].map((each) => `${JSON.stringify(each)}\n`).join("");
  const packed = gzipSync(log);
  home.put(`archive/${project}/${logName("broken")}.gz`, packed.subarray(0, -100));
  home.put(`archive/${project}/${logName("none")}.gz`, "no gzip");

  const { events, faults } = await read();

  expect(faults).toEqual(["cannot be unpacked (Z_BUF_ERROR)", "cannot be unpacked (Z_DATA_ERROR)"]);
  expect(events.join()).toContain('"id":"z1"');
  expect(events.join()).toContain('"id":"d1"');
});

it("names no last copied entry if the origin of a fork is broken", async () => {
  putSessions();
  const records = Array.from({ length: 2000 }, (_, index) => say(`z${index}`, null));
  home.put(root, [header("root"), ...records]);
  home.put(fork, [header("fork", { parentSession: "root" }), ...records]);
  archive(root);
  const packed = readFileSync(join(home.path, `archive/${root}.gz`));
  home.put(`archive/${root}.gz`, packed.subarray(0, -100));

  const { contents } = await readHome(fromOmp(home.path));
  const forked = contents.find(({ session }) => session.id === "fork")?.session;

  expect(forked?.parent_session_id).toBe("root");
  expect(forked?.parent_message_id).toBeUndefined();
});
