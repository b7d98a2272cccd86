import { mkdirSync, renameSync } from "node:fs";
import { contentOf, findSessions, readAll, restoredFiles } from "@pond/adapter-testkit";
import { type JsonValue, stringifyJson } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();
const say = (id: string, parent: string | null, content = id) =>
  message(id, parent, { role: "user", content });
const copied = [say("a1", null), say("a2", "a1")];
const stem = logName("root").replace(".jsonl", "");

/** What each session says it descends from, by id. */
async function descents(from = fromOmp) {
  const { contents } = await readHome(from(home.path));
  return Object.fromEntries(
    contents.map(({ session }) => [
      session.id,
      [session.parent_session_id, session.parent_message_id, sourceOf(session)["relation"]],
    ]),
  );
}

function put(id: string, records: readonly JsonValue[], fields: Record<string, JsonValue> = {}) {
  home.put(`${project}/${logName(id)}`, [header(id, fields), ...records]);
}

it.each([
  ["a path", `/elsewhere/.pi/agent/${project}/${logName("root")}`],
  ["a path of another operating system", `C:\\Users\\ada\\${logName("root")}`],
  ["an id, as omp names it", "root"],
])(
  "finds the origin of a fork by %s, and the last entry copied from it",
  async (_, parentSession) => {
    put("root", [...copied, say("a3", "a2")]);
    const label = { type: "label", id: "l1", parentId: "a2", targetId: "a1", label: "x" };
    put("fork", [...copied, label, say("b1", "l1")], { parentSession });

    expect(await descents()).toEqual({
      fork: ["root", "a2", "fork"],
      root: [undefined, undefined, undefined],
    });
  },
);

const torn = '{"type":"mess';
// A fork begins behind all that it copies.
const own = { ...Object(say("b1", "a2")), timestamp: "2026-03-16T09:00:01.000Z" };
const forked = { parentSession: "root", timestamp: "2026-03-16T09:00:00.000Z" };

it.each<[string, readonly JsonValue[], readonly JsonValue[], last?: string]>([
  ["in the origin", [say("a1", null), torn, say("a3", "a2")], [...copied, own], "a2"],
  ["in the fork", [...copied, say("a3", "a2")], [say("a1", null), torn, own], "a2"],
  [
    "in the origin after the copied entries",
    [...copied, torn, say("a4", "a3")],
    [...copied, own],
    "a2",
  ],
  ["at the end of the origin", [say("a1", null), torn], [...copied, own], "a2"],
  ["at the end of the fork: none", copied, [say("a1", null), torn]],
])(
  "finds the last entry that a fork copied, if an entry is damaged %s",
  async (_, root, fork, last) => {
    const text = (records: readonly JsonValue[]) =>
      records.map((each) => `${each === torn ? torn : stringifyJson(each)}\n`).join("");
    home.put(`${project}/${logName("root")}`, text([header("root"), ...root]));
    home.put(`${project}/${logName("fork")}`, text([header("fork", forked), ...fork]));

    expect(await descents(fromPi)).toMatchObject({ fork: ["root", last, "fork"] });
  },
);

it("takes the id of a missing origin from the name of its log", async () => {
  put("fork", copied, { parentSession: `/x/${logName("lost_with_underscore")}` });
  put("other", copied, { parentSession: "some-id" });
  put("unnamed", copied, { parentSession: "/x/export.jsonl" });
  put("self", copied, { parentSession: "self" });

  expect(await descents(fromPi)).toEqual({
    fork: ["lost_with_underscore", undefined, "fork"],
    other: ["some-id", undefined, "fork"],
    unnamed: [undefined, undefined, undefined],
    self: [undefined, undefined, undefined],
  });
});

/** What each session says could not be looked up, by id. */
async function unresolved() {
  const { events } = await readHome(fromOmp(home.path));
  return Object.fromEntries(
    events.flatMap((event) =>
      event.kind === "session" ? [[event.session.id, event.unresolved]] : [],
    ),
  );
}

it("marks the parent or the cut-point unresolved if a log is gone (`session-durable-copy`)", async () => {
  put("root", copied);
  put("fork", copied, { parentSession: "root" });
  put("byid", copied, { parentSession: "gone" });
  put("bypath", copied, { parentSession: `/x/${logName("gone")}` });
  put("unnamed", copied, { parentSession: "/x/export.jsonl" });
  const agents = { Scout: {}, "Lost.Child": {}, Tan: { parentSession: "gone" } };
  for (const [name, fields] of Object.entries(agents)) {
    home.put(`${project}/${stem}/${name}.jsonl`, [header(name, fields)]);
  }
  home.put(`${project}/${logName("gone").replace(".jsonl", "")}/Orphan.jsonl`, [header("Orphan")]);

  expect(await unresolved()).toEqual({
    root: undefined,
    fork: undefined,
    byid: "cut_point",
    bypath: "parent",
    unnamed: "parent",
    Scout: undefined,
    "Lost.Child": "parent",
    Tan: "parent",
    Orphan: "parent",
  });
});

it("looks for an origin in all projects of a home, but not across a user's own folders", async () => {
  const fork = [header("fork", { parentSession: "root" }), ...copied];
  for (const folder of ["sessions", "own"]) {
    home.put(`${folder}/-loom/${logName("root")}`, [header("root"), ...copied, say("a3", "a2")]);
    home.put(`${folder}/-other/${logName("fork")}`, fork);
  }

  expect(await descents()).toMatchObject({ fork: ["root", "a2", "fork"] });
  expect(await descents(() => fromOmp(`${home.path}/own`))).toMatchObject({
    fork: ["root", undefined, "fork"],
  });
});

it("finds an origin that moved since the last listing", async () => {
  put("root", copied);
  const fork = [header("fork", { parentSession: "root" }), ...copied];
  const key = `sessions/-other/${logName("fork")}`;
  home.put(key, fork);
  const reader = fromOmp(home.path);
  const cutPoint = async () => {
    await findSessions(reader);
    return contentOf(await readAll(reader, key)).session.parent_message_id;
  };
  expect(await cutPoint()).toBe("a2");

  mkdirSync(`${home.path}/sessions/-moved`);
  renameSync(
    `${home.path}/${project}/${logName("root")}`,
    `${home.path}/sessions/-moved/${logName("root")}`,
  );

  expect(await cutPoint()).toBe("a2");
});

it("finds the origin of a fork that version 1 wrote", async () => {
  const old = { type: "session", timestamp: "2025-12-01T10:00:00.000Z", cwd: "/w" };
  const branchedFrom = `/elsewhere/${project}/${logName("old")}`;
  home.put(`${project}/${logName("old")}`, [{ ...old, id: "old" }]);
  home.put(`${project}/${logName("fork")}`, [{ ...old, id: "fork", branchedFrom }]);

  expect(await descents(fromPi)).toMatchObject({ fork: ["old", undefined, "fork"] });
});

it("names no cut-point if nothing was copied or the origin's ids mean nothing", async () => {
  put("root", copied);
  put("empty", [say("b1", null)], { parentSession: "root" });
  home.put(`${project}/${logName("old")}`, [
    { type: "session", id: "old", timestamp: "2025-11-20T10:00:00.000Z", cwd: "/w" },
    ...copied,
  ]);
  put("ofold", copied, { parentSession: "old" });

  expect(await descents()).toMatchObject({
    empty: ["root", undefined, "fork"],
    ofold: ["old", undefined, "fork"],
  });
});

it("puts sub-agents below the session whose folder they lie in, and nested ones below their agent", async () => {
  put("root", copied);
  const put1 = (path: string, id: string, fields = {}) =>
    home.put(`${project}/${stem}/${path}`, [header(id, fields), say("a1", null)]);
  put1("Scout.jsonl", "scout");
  put1("Scout.Left.jsonl", "left");
  put1("Scout.Left.Deep.jsonl", "deep");
  put1("Scout/Right.jsonl", "right");
  put1("Lost.Child.jsonl", "child");
  put1("__advisor.jsonl", "advisor");
  put1("Tan.jsonl", "tan", { parentSession: "root" });
  home.put(`${project}/${logName("gone").replace(".jsonl", "")}/Scout.jsonl`, [header("orphan")]);

  expect(await descents()).toEqual({
    root: [undefined, undefined, undefined],
    scout: ["root", undefined, undefined],
    left: ["scout", undefined, undefined],
    deep: ["left", undefined, undefined],
    right: ["scout", undefined, undefined],
    child: ["root", undefined, undefined],
    advisor: ["root", undefined, undefined],
    tan: ["root", "a1", "agent"],
    orphan: ["gone", undefined, undefined],
  });
});

it("restores sub-agents and artifacts below their session, wherever the session lies now", async () => {
  put("root", copied);
  home.put(`${project}/${stem}/Scout.jsonl`, [header("scout")]);
  home.put(`${project}/${stem}/Scout.md`, "found");
  const { lineages } = await readHome(fromOmp(home.path));
  const [lineage] = lineages;
  if (lineage === undefined) throw new TypeError("nothing was read");
  const { session, messages } = lineage.root;
  const source = { ...sourceOf(session), path: `sessions/-attic/${stem}.jsonl` };
  const moved = { session: { ...session, options: { source } }, messages };

  const files = restoredFiles(toOmp.writeNative({ ...lineage, root: moved }));

  expect([...files.keys()]).toEqual([
    `sessions/-attic/${stem}.jsonl`,
    `sessions/-attic/${stem}/Scout.md`,
    `sessions/-attic/${stem}/Scout.jsonl`,
  ]);
});

it("restores nested sub-agents where they lay, even if the log of their session is gone", async () => {
  const nested = ["Scout.jsonl", "Scout.Left.jsonl", "Scout/Right.jsonl", "Scout/Right/Deep.jsonl"];
  // The log of the session itself is gone.
  for (const path of nested) home.put(`${project}/${stem}/${path}`, [header(path)]);
  const { lineages } = await readHome(fromOmp(home.path));

  const files = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  expect(lineages.length).toBe(1);
  expect([...files.keys()].sort()).toEqual(
    nested.map((path) => `${project}/${stem}/${path}`).sort(),
  );
});

it("finds the cut-point of a fork once its origin has grown that far", async () => {
  const began = { timestamp: "2026-03-16T09:00:00.000Z" };
  const origin = [header("root"), ...copied, say("a3", "a2")];
  const file = `${project}/${logName("root")}`;
  const key = `${project}/${logName("fork")}`;
  home.put(key, [header("fork", { parentSession: "root", ...began }), ...copied, own]);
  const reader = fromOmp(home.path);
  const states: unknown[] = [];
  const cutPoints: unknown[] = [];
  for (const length of [0, 2, 3, 3]) {
    if (length > 0) home.put(file, origin.slice(0, length));
    await findSessions(reader);
    states.push(await reader.parentState?.(key));
    const [event] = await readAll(reader, key);
    if (event?.kind !== "session") continue;
    cutPoints.push([event.unresolved, event.session.parent_message_id]);
  }

  expect(cutPoints).toEqual([
    ["cut_point", undefined],
    ["cut_point", "a1"],
    [undefined, "a2"],
    [undefined, "a2"],
  ]);
  expect(new Set(states.slice(0, 3)).size).toBe(3);
});

it("finds the parent of an agent once the log of that parent is there", async () => {
  put("root", copied);
  const key = `${project}/${stem}/Lost.Child.jsonl`;
  home.put(key, [header("child")]);
  const reader = fromOmp(home.path);
  const before = await reader.parentState?.(key);
  put("root", [...copied, say("a3", "a2")]);
  expect(await reader.parentState?.(key)).toBe(before);

  home.put(`${project}/${stem}/Lost.jsonl`, [header("lost")]);

  expect(await reader.parentState?.(key)).not.toBe(before);
  expect(contentOf(await readAll(reader, key)).session.parent_session_id).toBe("lost");
});

it("restores an agent's log beside the log of an earlier agent of the same name", async () => {
  const path = `${project}/${stem}/Scout.jsonl`;
  put("root", copied);
  home.put(path, [header("before"), say("b1", null)]);
  const { lineages: earlier } = await readHome(fromOmp(home.path));
  const later = { timestamp: "2026-03-16T09:00:00.000Z" };
  home.put(path, [header("again", later), say("c1", null)]);
  const { lineages: now } = await readHome(fromOmp(home.path));
  const [[first], [last]] = [earlier, now];
  if (first === undefined || last === undefined) throw new TypeError("nothing was read");
  const descendants = [...last.descendants, ...first.descendants];

  const files = restoredFiles(toOmp.writeNative({ ...last, descendants }));

  const says = [...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]);
  expect(says).toEqual([
    [`${project}/${stem}.jsonl`, expect.stringContaining('"root"')],
    [path, expect.stringContaining('"again"')],
    [`${project}/${stem}/Scout-before.jsonl`, expect.stringContaining('"before"')],
  ]);
});
