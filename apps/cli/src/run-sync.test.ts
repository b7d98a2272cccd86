import { join } from "node:path";
import { openSessions } from "@pond/sessions";
import { expect, it } from "vitest";
import { factsOf } from "./report-error.ts";
import { runSync } from "./run-sync.ts";
import { Home } from "./testing.ts";

it("reports both failures when the model and the indexes fail", async () => {
  const home = new Home();
  const sessions = await openSessions(join(home.folder, "store"), { mode: "write" });
  const options = {
    stateDirectory: join(home.folder, "state"),
    host: "bench",
    now: () => home.now,
    onProgress: ({ stage }: { readonly stage: string }) => {
      if (stage === "update-indexes") sessions.close();
    },
  };

  const { failure } = await runSync(sessions, [], options, { failure: new Error("no model") });

  home.remove();
  expect(factsOf(failure)).toMatchObject({
    code: "internal",
    message: expect.stringMatching(/^no model; and then: .*closed/),
    details: { second: { message: expect.stringMatching(/closed/) } },
  });
});
