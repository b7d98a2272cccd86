import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { draftMessage, sampleLineage } from "@pond/adapter-testkit";
import type { JsonObject } from "@pond/canonical";
import { expect, it, onTestFinished } from "vitest";
import { codexMovedTo } from "./layout.ts";
import { codexResume, codexResumesInParent } from "./resume.ts";
import { toCodex } from "./to-codex.ts";

it("resumes a restored session by the id in its file name, in its working directory", () => {
  const lineage = sampleLineage();
  const { session } = lineage.root;
  const files = [...toCodex.writeForeign(lineage, {})];

  const resume = codexResume({ session, home: "/home/ada/.codex", files });

  const [thread] = /[0-9a-f-]{36}(?=\.jsonl$)/.exec(files[0]?.path ?? "") ?? [];
  expect(resume).toEqual({
    commands: [["codex", "resume", thread]],
    directory: "/home/ada/loom",
  });
});

it.each([
  ["/home/ada/loom", { directory: "/home/ada/loom" }],
  ["C:\\Users\\ada", { directory: "C:\\Users\\ada" }],
  ["https://example.com/ada/loom.git", {}],
])("resumes in %s only if that is a directory path", (project, expected) => {
  const session = { ...sampleLineage().root.session, project };
  const { directory } = codexResume({ session, home: "/home/ada/.codex", files: [] });

  expect({ ...(directory !== undefined && { directory }) }).toEqual(expected);
});

it("resumes by the session's own id if the file name holds none", () => {
  const { session } = sampleLineage().root;
  const files = [{ session: session.id, path: "sessions/a.jsonl", content: [] }];

  const { commands } = codexResume({ session, home: "/home/ada/.codex", files });

  expect(commands).toEqual([["codex", "resume", "sample-root"]]);
});

it.each([
  [
    "of a client before September 2025",
    '{"id":"a","timestamp":"2025-08-30T09:00:00.000Z"}\n{}\n',
    1,
  ],
  ["of the TypeScript client", '{\n  "session": {}\n}', 1],
  [
    "of a client since September 2025",
    '{"timestamp":"t","type":"session_meta","payload":{}}\n{}\n',
    0,
  ],
])("tells whether the client refuses a file %s", (_, text, count) => {
  const { session } = sampleLineage().root;
  const path = "sessions/a.jsonl";
  const content = [text.slice(0, 9), text.slice(9)];

  const { problems = [] } = codexResume({
    session,
    home: "/home/ada/.codex",
    files: [{ session: session.id, path, content }],
  });

  expect(problems).toEqual(Array(count).fill(expect.stringContaining(`${path} `)));
});

it("takes an archived session out of the archive before resuming it", () => {
  const { session } = sampleLineage().root;
  const thread = "019e0000-0000-7000-8000-000000000070";
  const path = `archived_sessions/rollout-2026-03-01T09-00-00-${thread}.jsonl`;
  const files = [{ session: session.id, path, content: [] }];

  const { commands } = codexResume({ session, home: "/home/ada/.codex", files });

  expect(commands).toEqual([
    ["codex", "unarchive", thread],
    ["codex", "resume", thread],
  ]);
});

const name = "rollout-2026-03-01T09-00-00-019e0000-0000-7000-8000-000000000070.jsonl";
it.each([
  ["into the archive", `archived_sessions/${name}`, `sessions/2026/03/01/${name}`],
  ["out of the archive", `sessions/2026/03/01/${name}`, `archived_sessions/${name}`],
  ["to an unknown place", "sessions/other.jsonl", `sessions/2026/03/01/${name}`],
])("looks for a session file that was moved %s", (_, there, path) => {
  const home = mkdtempSync(join(tmpdir(), "pond-codex-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(dirname(join(home, there)), { recursive: true });
  writeFileSync(join(home, there), "");

  expect(codexMovedTo(home, path)).toBe(there.includes(name) ? there : undefined);
});

const spawn = { subagent: { thread_spawn: { parent_thread_id: "root", depth: 1 } } };
it.each<[string, object, boolean]>([
  ["a sub-agent of version 2", { source: spawn, multi_agent_version: "v2" }, true],
  ["a sub-agent of version 1", { source: spawn, multi_agent_version: "v1" }, false],
  ["a sub-agent without a version", { source: spawn }, false],
  ["a review", { source: { subagent: "review" }, multi_agent_version: "v2" }, false],
  [
    "a main thread with sub-agents of version 2",
    { source: "cli", multi_agent_version: "v2" },
    false,
  ],
])("tells whether %s can be resumed only through its parent thread", (_, payload, expected) => {
  const { session } = sampleLineage().root;
  const record = { type: "session_meta", payload: { id: session.id, ...payload } };
  const messages = [draftMessage(["m1", "", { record } as JsonObject, "system"])];

  expect(codexResumesInParent({ session, messages })).toBe(expected);
});
