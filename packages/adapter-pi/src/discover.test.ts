import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSessions, readAll } from "@pond/adapter-testkit";
import { sourceOf } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, project, readHome, TemporaryHome } from "./home.test-kit.ts";

const home = new TemporaryHome();
const [one, two] = [logName("one"), logName("two")];
const stem = one.replace(".jsonl", "");

// Root reads every file, so the test becomes a user who may not.
const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;

async function found(path = "", from = fromOmp) {
  const { sessions, faults } = await findSessions(from(join(home.path, path)));
  return {
    keys: sessions.map(({ key }) => key),
    faults: faults.map(({ details }) => [
      details.uri.replace(home.path, ""),
      details.reason.replace(home.path, ""),
    ]),
  };
}

function put(path: string): void {
  home.put(path, [header("x")]);
}

it("lists sessions and sub-agents in every place, and nothing else", async () => {
  const keys = [
    `${project}/${one}`,
    `${project}/${stem}/A.jsonl`,
    `${project}/${stem}/A/B.jsonl`,
    `${project}/${two}`,
    `sessions/-loom/${two}`,
    `sessions/${two}`,
    two,
  ];
  for (const key of keys) put(key);
  for (const other of [
    `${project}/${stem}/A.md`,
    "agent.db",
    "notes.jsonl",
    "terminal-sessions/t",
  ]) {
    home.put(other, "x");
  }
  expect((await found()).keys.sort()).toEqual([...keys].sort());
  expect((await found("sessions")).keys.sort()).toEqual(keys.slice(0, 6).sort());
  expect((await found(project)).keys).toEqual(keys.slice(0, 4));
  expect((await found(`${project}/${one}`)).keys).toEqual(keys.slice(0, 3));
  expect((await found(`${project}/${two}`)).keys).toEqual([keys[3]]);
  expect((await found(`${project}/${stem}/A/B.jsonl`)).keys).toEqual([keys[2]]);
});

it("finds sessions in deeper folders, and no event logs among them (`adapter-integrity-no-silent-drops`)", async () => {
  const keys = [
    `${project}/${one}`,
    `${project}/subagents/${two}`,
    `${project}/subagents/${two.replace(".jsonl", "")}/A.jsonl`,
    "sessions/subagent/f00dcafe/run-0/session.jsonl",
  ];
  for (const key of keys) put(key);
  const event = { type: "message_end", message: { role: "user", content: "x" } };
  home.put(`${project}/subagent-artifacts/run_worker.jsonl`, [header("x"), event]);
  home.put(`${project}/subagent-artifacts/run_other.jsonl`, [event]);
  home.put(`${project}/subagent-artifacts/run.md`, "x");

  expect((await found("", fromPi)).keys.sort()).toEqual([...keys].sort());
  expect((await found(project, fromPi)).keys).toEqual(keys.slice(0, 3));

  // Of one that is begun nobody knows yet whose it is.
  const begun = `${project}/subagents/${logName("begun")}`;
  home.put(begun, '{"type":"ses');
  expect((await found("", fromPi)).keys).not.toContain(begun);
  put(begun);
  expect((await found("", fromPi)).keys).toContain(begun);
});

it.skipIf(process.platform === "win32")(
  "reports nothing about files that others keep in deeper folders",
  async () => {
    put(`${project}/${one}`);
    const ext = `${project}/ext`;
    home.put(`${ext}/runs/${logName("run")}`, [{ event: "start" }]);
    home.put(`${ext}/runs/${stem}/open.jsonl`, "{");
    mkdirSync(join(home.path, ext, "data.jsonl"));
    symlinkSync("/etc/passwd", join(home.path, ext, "link.jsonl"));
    if (process.platform === "linux") {
      mkdirSync(Buffer.concat([Buffer.from(join(home.path, ext, "x")), Buffer.from([0xff])]));
    }
    const closed = [`${ext}/closed`, `${ext}/runs/${stem}/closed`].map((path) =>
      join(home.path, path),
    );
    for (const folder of closed) mkdirSync(folder, { mode: 0 });
    chmodSync(home.path, 0o755);
    becomeNobody?.(65534);
    try {
      expect(await found("", fromPi)).toEqual({ keys: [`${project}/${one}`], faults: [] });
    } finally {
      becomeNobody?.(0);
      for (const folder of closed) chmodSync(folder, 0o755);
    }
  },
);

it("finds no sessions in deeper folders of another home, a package or a hidden folder", async () => {
  put(`${project}/${one}`);
  put(`${project}/.ext/${two}`);
  put(`sessions/.ext/deeper/${two}`);
  put(`${project}/ext/node_modules/package/${two}`);
  for (const copy of ["sessions/copy", `${project}/copy/agent`]) {
    home.put(`${copy}/auth.json`, "{}");
    put(`${copy}/${project}/${two}`);
  }
  // A folder of that name alone makes no home.
  put(`${project}/ext/sessions/${two}`);

  expect((await found("", fromPi)).keys).toEqual([
    `${project}/${one}`,
    `${project}/ext/sessions/${two}`,
  ]);
});

it("reads a user's own session folder that holds plugins", async () => {
  mkdirSync(join(home.path, "chats/plugins"), { recursive: true });
  const names = [one, "mine.jsonl", `work/${two}`];
  for (const name of names) put(`chats/${name}`);

  expect((await found("chats", fromPi)).keys).toEqual(names.map((name) => `sessions/${name}`));
});

it("reads a user's own session folder and its projects, but nothing deeper", async () => {
  put(`chats/${one}`);
  put("chats/mine.jsonl");
  put(`chats/work/${two}`);
  put(`chats/work/fixtures/${two}`);
  put(`chats/.omp/agent/${project}/${two}`);
  put(`chats/dot-pi/agent/${project}/${two}`);

  expect((await found("chats", fromPi)).keys).toEqual([
    `sessions/${one}`,
    "sessions/mine.jsonl",
    `sessions/work/${two}`,
  ]);
});

it("accepts a folder above the home, a home without sessions, and a flat folder", async () => {
  home.put("dot-pi/agent/auth.json", "{}");
  expect(await found("dot-pi", fromPi)).toEqual({ keys: [], faults: [] });

  put(`dot-pi/agent/sessions/--w--/${one}`);
  put(`flat/${two}`);

  expect((await found("dot-pi", fromPi)).keys).toEqual([`sessions/--w--/${one}`]);
  expect((await found("flat", fromPi)).keys).toEqual([`sessions/${two}`]);
});

it("reports a folder and a link out in the place of a log (`adapter-integrity-no-silent-drops`)", async () => {
  put(`${project}/${one}`);
  mkdirSync(join(home.path, project, two));
  symlinkSync("/etc/passwd", join(home.path, project, logName("link")));
  symlinkSync(join(home.path, project, one), join(home.path, project, logName("inside")));

  expect(await found()).toEqual({
    keys: [`${project}/${one}`],
    faults: [
      [`/${project}/${logName("link")}`, "a symbolic link out of the folder, not followed"],
      [`/${project}/${two}`, "a folder, not a file"],
    ],
  });
});

it("does not follow a link in the place of a session's sidecar folder, and reports it", async () => {
  put(`${project}/${one}`);
  put("elsewhere/diary.txt");
  const side = `${project}/${one.slice(0, -".jsonl".length)}`;
  symlinkSync(join(home.path, "elsewhere"), join(home.path, side));

  expect(await found()).toEqual({
    keys: [`${project}/${one}`],
    faults: [[`/${side}`, "a symbolic link out of the folder, not followed"]],
  });
  const { contents } = await readHome(fromOmp(home.path));
  expect(contents).toHaveLength(1);
  expect(contents[0]?.messages.map((each) => sourceOf(each)["sidecar"])).not.toContain("diary.txt");
});

it("ignores a link in the place of settings, but reports one in the place of a session", async () => {
  put(`${project}/${one}`);
  symlinkSync("/etc/passwd", join(home.path, "mcp.json"));
  symlinkSync("/etc/passwd", join(home.path, two));

  expect(await found()).toEqual({
    keys: [`${project}/${one}`],
    faults: [[`/${two}`, "a symbolic link out of the folder, not followed"]],
  });
});

it("reports a folder that does not exist, and keys of no session", async () => {
  put(`${project}/${one}`);
  const reader = fromPi(home.path);

  expect((await found("nowhere")).faults).toEqual([["/nowhere", "cannot be read (ENOENT)"]]);
  for (const key of ["../../etc/passwd", `${project}/${two}`, "sessions//x.jsonl", "auth.json"]) {
    expect(await reader.fingerprint(key)).toBeUndefined();
    expect((await readAll(reader, key)).map(({ kind }) => kind)).toEqual(["fault"]);
  }
});

it("changes the fingerprint of a session when one of its own files changes", async () => {
  put(`${project}/${one}`);
  const artifact = home.put(`${project}/${stem}/0.bash.log`, "one");
  const reader = fromOmp(home.path);
  const print = () => reader.fingerprint(`${project}/${one}`);
  const seen = [await print()];

  writeFileSync(artifact, "two!");
  seen.push(await print());
  home.put(`${project}/${stem}/1.bash.log`, "more");
  seen.push(await print());
  put(`${project}/${stem}/A.jsonl`);
  seen.push(await print());

  expect(new Set(seen).size).toBe(3);
  expect(seen[3]).toBe(seen[2]);
});

it.skipIf(process.platform === "win32")("reports files that it may not read", async () => {
  put(`${project}/${one}`);
  chmodSync(home.put(`${project}/${two}`, [header("two")]), 0);
  chmodSync(home.put(`${project}/${stem}/0.bash.log`, "x"), 0);
  chmodSync(home.path, 0o755);
  becomeNobody?.(65534);
  try {
    const reader = fromOmp(home.path);
    const faults: (readonly [string, boolean | undefined])[] = [];
    for (const { key } of (await findSessions(reader)).sessions) {
      for (const event of await readAll(reader, key)) {
        if (event.kind === "fault") faults.push([event.fault.details.reason, event.isLogWhole]);
      }
    }

    expect(faults).toEqual([
      ["cannot be read (EACCES)", true],
      ["cannot be read (EACCES)", undefined],
    ]);
  } finally {
    becomeNobody?.(0);
  }
});
