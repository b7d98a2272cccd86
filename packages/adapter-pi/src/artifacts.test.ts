import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSessions, readFolder, restoredFiles } from "@pond/adapter-testkit";
import { type Lineage, type SessionContent, sourceOf } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { fromOmp } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { stemOf } from "./layout.ts";
import { ompProblems } from "./problems.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();
const log = `${project}/${logName("s1")}`;
const side = log.replace(".jsonl", "");

/** What comes back of the home, by path. */
async function restored() {
  const { lineages, faults, contents } = await readHome(fromOmp(home.path));
  const files = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));
  const texts = [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]);
  return {
    ids: contents.map(({ session }) => session.id),
    texts: Object.fromEntries(texts.filter(([path]) => path !== log)),
    problems: ompProblems(files),
    faults,
  };
}

it("keeps every file that an agent wrote, whatever its name (`adapter-integrity-no-silent-drops`)", async () => {
  const kept = {
    [`${side}/local/draft.txt`]: "chapter one",
    [`${side}/local/schema.sql.bak`]: "create table",
    [`${side}/local/half.tmp`]: "half",
    [`${side}/local/results.jsonl`]: '{"row":1}\n',
    [`${side}/local/sessions.jsonl`]: '{"type":"session","row":1}\n',
    [`${side}/Scout/local/rows.jsonl`]: '{"row":2}\n',
    [`${side}/Scout/config.yaml.bak`]: "precious: true",
    [`${side}/0.bash.log`]: "out",
  };
  home.put(log, [header("s1")]);
  for (const [path, text] of Object.entries(kept)) home.put(path, text);
  // What the client keeps for a moment lies at the top.
  for (const name of ["draft.txt", ".draft-only-session", "Scout.jsonl.1.bak", ".x.tmp"]) {
    home.put(`${side}/${name}`, "x");
  }

  expect(await restored()).toEqual({ ids: ["s1"], texts: kept, problems: [], faults: [] });
});

it("keeps a log without a header as a file", async () => {
  home.put(log, [header("s1")]);
  home.put(`${side}/rows.jsonl`, "no JSON\n");

  const { ids, texts, faults } = await restored();

  expect([ids, texts, faults]).toEqual([["s1"], { [`${side}/rows.jsonl`]: "no JSON\n" }, []]);
});

it("keeps a file that is no log unchanged, whatever words are in it (`adapter-integrity-no-silent-drops`)", async () => {
  const events = `${JSON.stringify(header("x"))}\n{"type":"agent_start"}\n`;
  const kept = {
    [`${side}/issues.jsonl`]: '{"title":"bug one","body":"x"}\n{"title":"bug two"}\n',
    [`${side}/oneline.jsonl`]: '{"result":1,"rows":[1,2,3]}',
    [`${side}/words.jsonl`]: "session",
    [`${side}/types.jsonl`]: '{"type":"session","row":1}\n',
    [`${side}/titles.jsonl`]: '{"type":"title","title":"x"}\n{"row":1}\n',
    [`${side}/abcd/run-0/subagent-artifacts/worker.jsonl`]: events,
  };
  home.put(log, [header("s1")]);
  for (const [path, text] of Object.entries(kept)) home.put(path, text);

  const { ids, texts, faults } = await restored();

  expect([ids, texts, faults]).toEqual([["s1"], kept, []]);
});

it.each([
  ["cut off in its header", '{"type":"sess'],
  ["empty but for a title", '{"type":"title","v":1,"title":""}\n'],
  ["a single long header", JSON.stringify(header("scout", { title: "x".repeat(20_000) }))],
])("takes a log that is %s for a sub-agent", async (_, text) => {
  home.put(log, [header("s1")]);
  home.put(`${side}/Scout.jsonl`, text);

  const { sessions } = await findSessions(fromOmp(home.path));

  expect(sessions.map(({ key }) => key)).toEqual([log, `${side}/Scout.jsonl`]);
});

it("takes a log in the session's folder for a sub-agent, with a header or still empty", async () => {
  home.put(log, [header("s1")]);
  home.put(`${side}/Scout.jsonl`, [{ type: "title", v: 1, title: "", pad: "" }, header("scout")]);
  home.put(`${side}/Empty.jsonl`, "");

  const { sessions } = await findSessions(fromOmp(home.path));

  expect(sessions.map(({ key }) => key)).toEqual([
    log,
    `${side}/Empty.jsonl`,
    `${side}/Scout.jsonl`,
  ]);
});

const isPosix = process.platform !== "win32";

it.runIf(isPosix)("restores a file under a name that every system accepts", async () => {
  home.put(log, [header("s1")]);
  home.put(`${side}/local/we\\ird.txt`, "weird");
  home.put(`${side}/Sc\\out.jsonl`, [header("scout")]);
  home.put(`sessions/-lo\\om/${logName("s2")}`, [header("s2")]);

  const { texts, faults } = await restored();

  expect(faults).toEqual([]);
  expect(Object.keys(texts).sort()).toEqual([
    `${side}/Sc%5Cout.jsonl`,
    `${side}/local/we%5Cird.txt`,
    `sessions/-lo%5Com/${logName("s2")}`,
  ]);
});

// Other systems have no such names.
it.runIf(process.platform === "linux")("reports a name that is not UTF-8", async () => {
  home.put(log, [header("s1")]);
  const folder = join(home.path, side, "local");
  mkdirSync(folder, { recursive: true });
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]), "x");
  home.put(`${side}/local/caf\u{fffd}.txt`, "a name that is odd, and one");

  const { texts, faults } = await restored();

  expect(faults).toEqual(["a name that is not UTF-8: not stored"]);
  expect(Object.keys(texts)).toEqual([`${side}/local/caf\u{fffd}.txt`]);
});

const say = (id: string, parent: string | null) =>
  message(id, parent, { role: "user", content: id });

const copied = (name: string): string => `${project}/${stemOf(logName(name))}`;
const other = (name: string): string => `sessions/-other/${stemOf(logName(name))}`;

/** What a restore of one session with all below it writes. */
function restoredBelow(id: string, contents: readonly SessionContent[]) {
  const files = restoredFiles(toOmp.writeNative(lineageOf(id, contents)));
  return Object.fromEntries(
    [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
  );
}

/** The files of the home whose paths name one of these sessions. */
async function filesOf(...ids: readonly string[]) {
  const files = [...(await readFolder(home.path))].filter(([path]) =>
    ids.some((id) => path.includes(`_${id}`)),
  );
  return Object.fromEntries(
    files.map(([path, bytes]) => [path, Buffer.from(bytes).toString()] as const),
  );
}

const parentsIn = (contents: readonly SessionContent[]) =>
  contents.map(({ session }) => [session.id, session.parent_session_id]);

it.each([
  ["by id", "s1", copied],
  ["by path", `/elsewhere/${log}`, copied],
  ["by id, in another project", "s1", other],
  ["by an old path, in another project", `/elsewhere/sessions/-old/${logName("s1")}`, other],
])(
  "keeps agent logs that a fork copied as the fork's files, its parent named %s (`adapter-native-restore-lossless`)",
  async (_, parentSession, placeOf) => {
    home.put(log, [header("s1"), say("a1", null)]);
    home.put(`${side}/Scout.jsonl`, [header("scout"), say("b1", null), say("b2", "b1")]);
    home.put(`${side}/Scout/Deep.jsonl`, [header("deep")]);
    home.put(`${side}/Scout.md`, "found");
    home.put(`${side}/Later.jsonl`, [header("later of the first")]);
    for (const [name, from] of [
      ["s2", parentSession],
      ["s3", "s2"],
    ] as const) {
      const place = placeOf(name);
      home.put(`${place}.jsonl`, [header(name, { parentSession: from }), say("a1", null)]);
      // The agent may have gone on since, and others may have been started.
      home.put(`${place}/Scout.jsonl`, [header("scout"), say("b1", null)]);
      home.put(`${place}/Scout/Deep.jsonl`, [header("deep")]);
      home.put(`${place}/Scout.md`, "found");
      home.put(`${place}/Later.jsonl`, [header(`later of ${name}`)]);
    }

    const { contents, faults } = await readHome(fromOmp(home.path));
    const parents = parentsIn(contents);

    expect(faults).toEqual([]);
    expect(Object.fromEntries(parents)).toEqual({
      s1: undefined,
      scout: "s1",
      deep: "scout",
      "later of the first": "s1",
      s2: "s1",
      "later of s2": "s2",
      s3: "s2",
      "later of s3": "s3",
    });
    expect(parents).toHaveLength(8);
    expect(restoredBelow("s1", contents)).toEqual(await filesOf("s1", "s2", "s3"));
    expect(restoredBelow("s2", contents)).toEqual(await filesOf("s2", "s3"));
    expect(restoredBelow("s3", contents)).toEqual(await filesOf("s3"));
  },
);

const title = { type: "title", v: 1, title: "", pad: "" };
const begun = [header("scout"), say("b1", null), say("b2", "b1")];
const grown = [...begun, say("b3", "b2")];

it.each([
  ["its log extended", begun, grown],
  ["its log rewritten with a title", begun, [title, ...grown]],
  ["its log continued differently in the original", [...begun, say("c3", "b2")], grown],
])(
  "takes an agent that went on in a fork for a session of the fork: %s (`adapter-integrity-no-silent-drops`)",
  async (_, first, second) => {
    home.put(log, [header("s1"), say("a1", null)]);
    home.put(`${side}/Scout.jsonl`, first);
    home.put(`${side}/Scout.Deep.jsonl`, [header("deep")]);
    home.put(`${copied("s2")}.jsonl`, [header("s2", { parentSession: "s1" }), say("a1", null)]);
    home.put(`${copied("s2")}/Scout.jsonl`, second);
    home.put(`${copied("s2")}/Scout.Deep.jsonl`, [header("deep")]);
    home.put(`${copied("s2")}/Scout.Deep.More.jsonl`, [header("more")]);

    const { contents } = await readHome(fromOmp(home.path));

    expect(parentsIn(contents)).toEqual([
      ["s1", undefined],
      ["deep", "scout"],
      ["scout", "s1"],
      ["s2", "s1"],
      // Its agent is a file of the fork's, and the agent above that a session.
      ["more", "s2:Scout"],
      ["s2:Scout", "s2"],
    ]);
    const scout = contents.find(({ session }) => session.id === "s2:Scout");
    expect(scout?.messages.map(({ id }) => id)).toEqual(["scout#header", "b1", "b2", "b3"]);
    expect(restoredBelow("s2", contents)).toEqual(await filesOf("s2"));
    expect(restoredBelow("s1", contents)).toEqual(await filesOf("s1", "s2"));
  },
);

it.each([
  [
    "reads an agent copied by a fork under an id of the fork",
    "2026-03-16T08:00:01.000Z",
    "s2:Scout",
  ],
  [
    "reads an agent started by the fork under the agent's own id",
    "2026-03-16T07:59:59.000Z",
    "scout",
  ],
])(
  "when the parent session is gone, %s (`session-durable-copy`)",
  async (_, timestamp, expected) => {
    const fork = { parentSession: "s1", timestamp };
    home.put(`${copied("s2")}.jsonl`, [header("s2", fork), say("a1", null)]);
    home.put(`${copied("s2")}/Scout.jsonl`, begun);
    home.put(`${copied("s2")}/Tan.jsonl`, [header("tan", { parentSession: "s1" })]);

    const { contents } = await readHome(fromOmp(home.path));

    expect(Object.fromEntries(parentsIn(contents))).toMatchObject({ s2: "s1", [expected]: "s2" });
    expect(restoredBelow("s2", contents)).toEqual(await filesOf("s2"));
  },
);

it("writes an agent's log once even if an older store holds it as a session of its own too", async () => {
  home.put(`${copied("s2")}.jsonl`, [header("s2", { parentSession: "s1" }), say("a1", null)]);
  home.put(`${copied("s2")}/Scout.jsonl`, begun);
  const { contents } = await readHome(fromOmp(home.path));
  const [scout] = contents.filter(({ session }) => session.id === "s2:Scout");
  if (scout === undefined) throw new TypeError("no session of the fork");
  const { options } = scout.session;
  const { copyOf: _, ...source } = sourceOf(scout.session);
  const session = { ...scout.session, id: "scout" as typeof scout.session.id };
  const older = { session: { ...session, options: { ...options, source } }, messages: [] };

  for (const stored of [
    [older, ...contents],
    [...contents, older],
  ]) {
    const files = [...toOmp.writeNative(lineageOf("s2", stored))].map(({ path }) => path);
    expect(files.sort()).toEqual([`${copied("s2")}.jsonl`, `${copied("s2")}/Scout.jsonl`]);
  }
});

/** A session and everything below it. */
function lineageOf(id: string, contents: readonly SessionContent[]): Lineage {
  const root = contents.find(({ session }) => session.id === id);
  if (root === undefined) throw new TypeError(`no session ${id}`);
  const below = (parent: string): SessionContent[] =>
    contents
      .filter(({ session }) => session.parent_session_id === parent)
      .flatMap((content) => [content, ...below(content.session.id)]);
  return { root, descendants: below(id) };
}

it("writes no file over the log of a session if an older store holds both", async () => {
  home.put(log, [header("s1")]);
  home.put(`${side}/local/Scout.jsonl`, "a file");
  home.put(`${side}/Scout.jsonl`, [header("scout")]);
  const { lineages } = await readHome(fromOmp(home.path));
  const [lineage] = lineages;
  if (lineage === undefined) throw new TypeError("nothing was read");
  const descendants = lineage.descendants.map(({ session, messages }) => {
    const source = { ...sourceOf(session), artifact: "local/Scout.jsonl" };
    return { session: { ...session, options: { source } }, messages };
  });

  const paths = [...toOmp.writeNative({ ...lineage, descendants })].map(({ path }) => path);

  expect(paths).toEqual([log, `${side}/local/Scout.jsonl`]);
});
