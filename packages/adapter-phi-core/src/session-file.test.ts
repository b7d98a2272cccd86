import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { SessionFile } from "./session-file.ts";

it("takes no file for a changed one because a time in whole seconds has passed", () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-phi-core-"));
  const file = join(folder, "s.json");
  const now = 1_790_000_000_500;
  writeFileSync(file, '{"session_id":"s","agent_id":"weaver","loops":[{"loop_id":"one"}]}');
  utimesSync(file, 1_790_000_000, 1_790_000_000);
  vi.useFakeTimers({ now });
  const session = new SessionFile(file, now);
  onTestFinished(() => {
    vi.useRealTimers();
    session.close();
    rmSync(folder, { recursive: true });
  });

  vi.setSystemTime(now + 5_000);

  expect(session.loopAt(0)).toEqual({ loop_id: "one" });
});
