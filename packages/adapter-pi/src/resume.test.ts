import { sampleLineage } from "@pond/adapter-testkit";
import type { InstalledSession } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { ompResume, piResume } from "./resume.ts";
import { toOmp, toPi } from "./to-pi.ts";

const lineage = sampleLineage();
const installed = (
  files: InstalledSession["files"],
  session = lineage.root.session,
): InstalledSession => ({
  session,
  home: "/home/ada/.pi/agent",
  files,
});

it("resumes a session of pi by the path of its log, in its directory", () => {
  const files = [...toPi.writeForeign(lineage, {})];

  expect(piResume(installed(files))).toEqual({
    commands: [["pi", "--session", `/home/ada/.pi/agent/${files[0]?.path}`]],
    directory: "/home/ada/loom",
  });
});

it("resumes a session of omp by its id, and a sub-agent by its path", () => {
  const files = [...toOmp.writeForeign(lineage, {})];
  const id = /_(.*)\.jsonl$/.exec(files[0]?.path ?? "")?.[1];
  const agent = lineage.descendants[0]?.session ?? lineage.root.session;

  expect(ompResume(installed(files)).commands).toEqual([["omp", "--resume", id]]);
  expect(ompResume(installed(files, agent)).commands).toEqual([
    ["omp", "--resume", `/home/ada/.pi/agent/${files[1]?.path}`],
  ]);
});

it("resumes a session of omp outside any project folder by its path", () => {
  const files = [...toOmp.writeForeign(lineage, {})].map((file) => {
    return { ...file, path: file.path.replace(/^sessions\/[^/]+\//, "sessions/") };
  });

  expect(ompResume(installed(files)).commands).toEqual([
    ["omp", "--resume", `/home/ada/.pi/agent/${files[0]?.path}`],
  ]);
});

it("resumes in the directory to which a session was moved, if its own client's log says so", () => {
  const at = "sessions/-loom-2/2026-09-14T08-12-00-000Z_a.jsonl";
  const log = (cwd: string) => ({
    session: lineage.root.session.id,
    path: at,
    // Pieces end anywhere.
    content: [
      '{"type":"title","v":1,"title":"Lo',
      'om"}\n{"type":"session","id":"a",',
      `"cwd":"${cwd}"}\n`,
    ],
  });
  const own = { ...lineage.root.session, source_agent: "omp" };

  expect(ompResume(installed([log("/home/ada/loom-2")], own)).directory).toBe("/home/ada/loom-2");
  expect(ompResume(installed([log("loom-2")], own)).directory).toBe("/home/ada/loom");
  expect(piResume(installed([log("/home/ada/loom-2")], own)).directory).toBe("/home/ada/loom");
});

it("names no directory for a project that is no path", () => {
  const files = [...toPi.writeForeign(lineage, {})];
  const session = { ...lineage.root.session, project: "--home-ada--" };

  expect(piResume(installed(files, session)).directory).toBeUndefined();
  expect(() => piResume(installed([]))).toThrow(TypeError);
});
