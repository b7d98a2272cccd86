import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSessions, readAll } from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, project, TemporaryHome } from "./home.test-kit.ts";

const home = new TemporaryHome();
const [one, two] = [logName("one"), logName("two")];
const stem = one.replace(".jsonl", "");

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

it("lists sessions and sub-agents of every place, and nothing else", async () => {
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

it("finds sessions in deeper folders, and no events among them (`adapter-integrity-no-silent-drops`)", async () => {
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

  // One that is named as a session is told of where it cannot be read.
  const broken = `${project}/subagents/${logName("broken")}`;
  home.put(broken, "{\n");
  expect((await readAll(fromPi(home.path), broken)).map(({ kind }) => kind)).toContain("fault");
  expect((await found("", fromPi)).keys).toContain(broken);
});

it("takes a folder above the home, a home without sessions, and a flat folder", async () => {
  home.put("dot-pi/agent/auth.json", "{}");
  expect(await found("dot-pi", fromPi)).toEqual({ keys: [], faults: [] });

  put(`dot-pi/agent/sessions/--w--/${one}`);
  put(`flat/${two}`);

  expect((await found("dot-pi", fromPi)).keys).toEqual([`sessions/--w--/${one}`]);
  expect((await found("flat", fromPi)).keys).toEqual([`sessions/${two}`]);
});

it("reports what stands in a session's place (`adapter-integrity-no-silent-drops`)", async () => {
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

it("minds no link to settings that lie elsewhere, but one in the place of a session", async () => {
  put(`${project}/${one}`);
  symlinkSync("/etc/passwd", join(home.path, "mcp.json"));
  symlinkSync("/etc/passwd", join(home.path, two));

  expect(await found()).toEqual({
    keys: [`${project}/${one}`],
    faults: [[`/${two}`, "a symbolic link out of the folder, not followed"]],
  });
});

it("reports a folder that is not there, and keys that lead elsewhere", async () => {
  put(`${project}/${one}`);
  const reader = fromPi(home.path);

  expect((await found("nowhere")).faults).toEqual([["/nowhere", "cannot be read (ENOENT)"]]);
  for (const key of ["../../etc/passwd", `${project}/${two}`, "sessions//x.jsonl", "auth.json"]) {
    expect(await reader.fingerprint(key)).toBeUndefined();
    expect((await readAll(reader, key)).map(({ kind }) => kind)).toEqual(["fault"]);
  }
});

it("gives a fingerprint that differs whenever a file of the session does", async () => {
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

// Root reads every file, so the test becomes a user who may not.
const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;

it.skipIf(process.platform === "win32")("reports what may not be read", async () => {
  put(`${project}/${one}`);
  chmodSync(home.put(`${project}/${two}`, [header("two")]), 0);
  chmodSync(home.put(`${project}/${stem}/0.bash.log`, "x"), 0);
  chmodSync(home.path, 0o755);
  becomeNobody?.(65534);
  try {
    const reader = fromOmp(home.path);
    const faults: string[] = [];
    for (const { key } of (await findSessions(reader)).sessions) {
      for (const event of await readAll(reader, key)) {
        if (event.kind === "fault") faults.push(event.fault.details.reason);
      }
    }

    expect(faults).toEqual(["cannot be read (EACCES)", "cannot be read (EACCES)"]);
  } finally {
    becomeNobody?.(0);
  }
});
