import { join } from "node:path";
import { adapterNamed } from "@pond/adapters";
import { openSessions } from "@pond/sessions";
import { expect, it, onTestFinished } from "vitest";
import { factsOf } from "./report-error.ts";
import { runSync } from "./run-sync.ts";
import { Home, line } from "./testing.ts";

/** A sync of one session, during which the store is closed before its indexes are updated. */
async function syncWithoutIndexes(failure?: Error) {
  const home = new Home();
  onTestFinished(() => home.remove());
  const sessions = await openSessions(join(home.folder, "store"), { mode: "write" });
  const options = {
    stateDirectory: join(home.folder, "state"),
    host: "bench",
    now: () => home.now,
    onProgress: ({ stage }: { readonly stage: string }) => {
      if (stage === "update-indexes") sessions.close();
    },
  };
  home.writeSession("s1", line("s1", "a", "one"));
  const path = join(home.folder, ".claude");
  const source = { adapter: "claude-code", path, reader: adapterNamed("claude-code").from(path) };
  return runSync(sessions, [source], options, { ...(failure && { failure }) });
}

it("reports what was imported when the indexes cannot be updated", async () => {
  const { report, failure } = await syncWithoutIndexes();

  expect(report.adapters).toMatchObject([{ sessions: { new: 1 }, messages_added: 1 }]);
  expect(failure?.message).toMatch(/closed/);
});

it("reports both failures when the model and the indexes fail", async () => {
  const { failure } = await syncWithoutIndexes(new Error("no model"));

  expect(factsOf(failure)).toMatchObject({
    code: "internal",
    message: expect.stringMatching(/^no model; and then: .*closed/),
    details: { second: { message: expect.stringMatching(/closed/) } },
  });
});
