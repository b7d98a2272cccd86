import { sampleLineage } from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { codexResume } from "./resume.ts";
import { toCodex } from "./to-codex.ts";

it("resumes a restored session by the id in its file's name, in its directory", () => {
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

it("resumes by the session's own id where the file has another name", () => {
  const { session } = sampleLineage().root;
  const files = [{ session: session.id, path: "sessions/a.jsonl", content: [] }];

  const { commands } = codexResume({ session, home: "/home/ada/.codex", files });

  expect(commands).toEqual([["codex", "resume", "sample-root"]]);
});
