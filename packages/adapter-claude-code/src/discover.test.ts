import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findSessions, readAll } from "@pond/adapter-testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { filesOf } from "./discover.ts";
import { fromClaudeCode } from "./from-claude-code.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pond-claude-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, text = "{}\n"): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function found(path = home) {
  const { sessions, faults } = await findSessions(fromClaudeCode(path));
  return {
    keys: sessions.map(({ key }) => key),
    faults: faults.map(({ message }) => message.replaceAll(home, "")),
  };
}

const everything = [
  "-a/s1.jsonl",
  "-a/s1/subagents/agent-a1.jsonl",
  "-a/s1/subagents/workflows/wf_1/agent-a2.jsonl",
  "-a/s2.jsonl",
  "-b/agent-old.jsonl",
  "-b/s3.jsonl",
];

it("lists sessions and the sub-agents of both layouts, and nothing else", async () => {
  for (const key of everything) put(`projects/${key}`);
  for (const other of ["s1/subagents/agent-a1.meta.json", "s1/tool-results/t.txt", "notes.md"]) {
    put(`projects/-a/${other}`);
  }
  put("projects/-a/memory/MEMORY.md");
  put("projects/-a/s1/subagents/workflows/wf_1/journal.jsonl");
  put("todos/s1.jsonl");
  put("history.jsonl");

  expect(await found()).toEqual({ keys: everything, faults: [] });
  expect(await found(join(home, "projects"))).toEqual({ keys: everything, faults: [] });
  expect((await found(join(home, "projects", "-a"))).keys).toEqual(everything.slice(0, 4));
  expect((await found(join(home, "projects/-a/s1.jsonl"))).keys).toEqual(everything.slice(0, 3));
  expect((await found(join(home, "projects/-a/s2.jsonl"))).keys).toEqual(["-a/s2.jsonl"]);
  const agent = "-a/s1/subagents/agent-a1.jsonl";
  expect((await found(join(home, "projects", agent))).keys).toEqual([agent]);
});

it("leaves out unfinished agent descriptors beside a log, but no file with a similar name", async () => {
  put("projects/-a/s1.jsonl");
  put("projects/-a/s1/subagents/agent-a1.jsonl");
  put("projects/-a/s1/subagents/agent-a1.meta.json.tmp.41a3a4da");
  put("projects/-a/s1/subagents/agent-a2.meta.json.tmp.41a3a4da");
  put("projects/-a/s1/subagents/agent-a1.meta.json.tmp");
  put("projects/-a/s1/tool-results/t.tmp.41a3a4da");

  const { sidecars } = filesOf(join(home, "projects"), "-a/s1.jsonl") ?? {};
  expect(sidecars?.map(({ path }) => path)).toEqual([
    "s1/subagents/agent-a1.meta.json.tmp",
    "s1/tool-results/t.tmp.41a3a4da",
  ]);
  const keys = ["-a/s1.jsonl", "-a/s1/subagents/agent-a1.jsonl"];
  expect((await found()).keys).toEqual(keys);
});

it("reports an unfinished agent descriptor once, unless the finished one exists", async () => {
  put("projects/-a/s1.jsonl");
  put("projects/-a/s1/subagents/agent-a1.jsonl");
  put("projects/-a/s1/subagents/agent-a1.meta.json.tmp.41a3a4da");
  put("projects/-a/s1/subagents/agent-a2.jsonl");
  put("projects/-a/s1/subagents/agent-a2.meta.json");
  put("projects/-a/s1/subagents/agent-a2.meta.json.tmp.41a3a4da");

  const listed = await Array.fromAsync(fromClaudeCode(home).sessions());

  const file = join(home, "projects/-a/s1/subagents/agent-a1.meta.json.tmp.41a3a4da");
  const message = `claude-code: ${file}:file: what describes an agent, not written to its end: not stored`;
  const fault = expect.objectContaining({ message });
  expect(listed.filter(({ kind }) => kind === "fault")).toEqual([
    { kind: "fault", fault, records: 0, isLeftover: true },
  ]);
});

it("finds the agents of a session that the client has deleted", async () => {
  put("projects/-a/gone/subagents/agent-a1.jsonl");

  expect((await found()).keys).toEqual(["-a/gone/subagents/agent-a1.jsonl"]);
});

it("finds agents moved into the project folder and reports logs where the client keeps none", async () => {
  put("projects/-a/s1.jsonl");
  put("projects/-a/subagents/agent-a1.jsonl");
  put("projects/-a/subagents/agent-a1.meta.json");
  put("projects/-a/subagents/workflows/wf_1/agent-a2.jsonl");
  put("projects/-a/subagents/workflows/wf_1/journal.jsonl");
  put("projects/-a/subagents/other.jsonl");
  put("projects/-a/archive/2026/s2.jsonl");
  put("projects/-a/archive/s3.jsonl");
  put("projects/-a/gone/tool-results/t.jsonl");
  put("projects/-a/memory/m.jsonl");
  const keys = ["-a/subagents/agent-a1.jsonl", "-a/subagents/workflows/wf_1/agent-a2.jsonl"];

  expect(await found()).toEqual({
    keys: ["-a/s1.jsonl", ...keys],
    faults: [
      "claude-code: /projects/-a/archive:file: 2 *.jsonl where the client keeps none: not read",
      "claude-code: /projects/-a/subagents:file: 1 *.jsonl where the client keeps none: not read",
    ],
  });
  expect((await found(join(home, "projects/-a/subagents/agent-a1.jsonl"))).keys).toEqual([keys[0]]);
});

it("reports a folder in a log's place and a log outside project folders (`adapter-integrity-no-silent-drops`)", async () => {
  put("projects/-a/s1.jsonl");
  put("projects/-a/folder.jsonl/inside.txt");
  put("projects/-a/s1/subagents/agent-x.jsonl/inside.txt");
  put("projects/stray.jsonl");

  expect(await found()).toEqual({
    keys: ["-a/s1.jsonl"],
    faults: [
      "claude-code: /projects/-a/s1/subagents/agent-x.jsonl:file: a folder, not a file",
      "claude-code: /projects/-a/folder.jsonl:file: a folder, not a file",
      "claude-code: /projects/stray.jsonl:file: a session outside of any project folder",
    ],
  });
});

it("does not follow a symbolic link out of the folder, and reports it", async () => {
  const outside = mkdtempSync(join(tmpdir(), "pond-outside-"));
  writeFileSync(join(outside, "secret.jsonl"), "{}\n");
  put("projects/-a/s1.jsonl");
  symlinkSync(join(outside, "secret.jsonl"), join(home, "projects/-a/s2.jsonl"));
  symlinkSync(outside, join(home, "projects/-b"));
  symlinkSync(join(home, "nowhere"), join(home, "projects/-a/s3.jsonl"));
  symlinkSync(join(home, "projects/-a"), join(home, "projects/-c"));
  try {
    expect(await found()).toEqual({
      keys: ["-a/s1.jsonl"],
      faults: [
        "claude-code: /projects/-b:file: a symbolic link out of the folder, not followed",
        "claude-code: /projects/-a/s2.jsonl:file: a symbolic link out of the folder, not followed",
        "claude-code: /projects/-a/s3.jsonl:file: a symbolic link out of the folder, not followed",
      ],
    });
  } finally {
    rmSync(outside, { recursive: true });
  }
});

it("does not follow a link in the place of a session's sidecar folder, and reports it", async () => {
  put("projects/-a/s1.jsonl");
  put("elsewhere/tool-results/diary.txt");
  symlinkSync(join(home, "elsewhere"), join(home, "projects/-a/s1"));

  expect(await found()).toEqual({
    keys: ["-a/s1.jsonl"],
    faults: ["claude-code: /projects/-a/s1:file: a symbolic link out of the folder, not followed"],
  });
  expect(filesOf(join(home, "projects"), "-a/s1.jsonl")).toMatchObject({ sidecars: [] });
});

// Other systems have no such names.
it.runIf(process.platform === "linux")("reports names that are not UTF-8", async () => {
  put("projects/-a/s1.jsonl");
  put("projects/-a/caf\u{fffd}.jsonl");
  writeFileSync(Buffer.from(join(home, "projects/-a/s\xe9.jsonl"), "latin1"), "{}\n");
  mkdirSync(Buffer.from(join(home, "projects", "-caf\xe9"), "latin1"));

  expect(await found()).toEqual({
    keys: ["-a/caf\u{fffd}.jsonl", "-a/s1.jsonl"],
    faults: [
      "claude-code: /projects/-caf\u{fffd}:file: a name that is not UTF-8: not stored",
      "claude-code: /projects/-a/s\u{fffd}.jsonl:file: a name that is not UTF-8: not stored",
    ],
  });
});

it("follows the projects folder if it is a symbolic link", async () => {
  put("elsewhere/-a/s1.jsonl");
  symlinkSync(join(home, "elsewhere"), join(home, "projects"));

  expect((await found()).keys).toEqual(["-a/s1.jsonl"]);
});

it.skipIf(process.platform === "win32")(
  "reports a socket in a log's place without opening it",
  async () => {
    put("projects/-a/s1.jsonl");
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(home, "projects/-a/s2.jsonl"), done));
    try {
      expect(await found()).toEqual({
        keys: ["-a/s1.jsonl"],
        faults: ["claude-code: /projects/-a/s2.jsonl:file: neither a file nor a folder"],
      });
    } finally {
      server.close();
    }
  },
);

it("reports a folder that does not exist", async () => {
  expect(await found(join(home, "nowhere"))).toEqual({
    keys: [],
    faults: ["claude-code: /nowhere:file: cannot be read (ENOENT)"],
  });
});

it("changes the fingerprint of a session, and of no other, when one of its files changes", async () => {
  const main = put("projects/-a/s1.jsonl");
  const output = put("projects/-a/s1/tool-results/t.txt", "one");
  const agent = put("projects/-a/s1/subagents/agent-a1.jsonl");
  const meta = put("projects/-a/s1/subagents/agent-a1.meta.json");
  const [mainKey, agentKey] = ["-a/s1.jsonl", "-a/s1/subagents/agent-a1.jsonl"];
  const reader = fromClaudeCode(home);
  const prints = async () => [
    await reader.fingerprint(mainKey),
    await reader.fingerprint(agentKey),
  ];
  const seen = [await prints()];

  appendFileSync(main, "{}\n");
  seen.push(await prints());
  writeFileSync(output, "two");
  utimesSync(output, 1, 1);
  seen.push(await prints());
  put("projects/-a/s1/tool-results/u.txt");
  seen.push(await prints());
  appendFileSync(agent, "{}\n");
  seen.push(await prints());
  rmSync(meta);
  seen.push(await prints());

  const changes = seen.slice(1).map((now, at) => now.map((print, of) => print !== seen[at]?.[of]));
  expect(changes).toEqual([
    [true, false],
    [true, false],
    [true, false],
    [false, true],
    [false, true],
  ]);
  const listed = (await findSessions(reader)).sessions;
  expect(listed.map(({ fingerprint }) => fingerprint)).toEqual(seen.at(-1));
  expect(listed.map(({ bytes }) => bytes)).toEqual([6 + 3 + 3, 6]);
});

// Root reads every file, so the test becomes a user who may not.
const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;

it.skipIf(process.platform === "win32")(
  "reports files and folders that it may not read",
  async () => {
    const record = { type: "user", uuid: "u", cwd: "/w", timestamp: "2026-03-01T09:00:00.000Z" };
    put("projects/-a/s1.jsonl", `${JSON.stringify(record)}\n`);
    chmodSync(put("projects/-a/s2.jsonl"), 0);
    chmodSync(put("projects/-a/s1/tool-results/t.txt"), 0);
    mkdirSync(join(home, "projects/-b"), { mode: 0 });
    chmodSync(home, 0o755);
    becomeNobody?.(65534);
    try {
      const seen = await found();
      const faults: (readonly [string, boolean | undefined])[] = [];
      for (const key of seen.keys) {
        for (const event of await readAll(fromClaudeCode(home), key)) {
          if (event.kind !== "fault") continue;
          faults.push([event.fault.message.replaceAll(home, ""), event.isLogWhole]);
        }
      }

      expect(seen).toEqual({
        keys: ["-a/s1.jsonl", "-a/s2.jsonl"],
        faults: ["claude-code: /projects/-b:file: cannot be read (EACCES)"],
      });
      expect(faults).toEqual([
        ["claude-code: /projects/-a/s1/tool-results/t.txt:file: cannot be read (EACCES)", true],
        ["claude-code: /projects/-a/s2.jsonl:file: cannot be read (EACCES)", undefined],
      ]);
    } finally {
      becomeNobody?.(0);
      chmodSync(join(home, "projects/-b"), 0o755);
    }
  },
);

it("has no fingerprint for a session that is gone", async () => {
  put("projects/-a/s1.jsonl");

  expect(await fromClaudeCode(home).fingerprint("-a/s2.jsonl")).toBeUndefined();
  expect(await fromClaudeCode(home).fingerprint("../../etc/passwd")).toBeUndefined();
});
