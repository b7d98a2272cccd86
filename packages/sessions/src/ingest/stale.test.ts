import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSessions } from "../session-store.ts";
import { allRows, ingestDemo, said, withStore } from "../testing.ts";

const pieces = [0, 1, 2].map((piece) => ({
  id: "s",
  messages: [0, 1, 2].map((at) => said(`m${piece * 3 + at}`)),
}));
const whole = { id: "s", messages: pieces.flatMap(({ messages }) => messages) };

it("continues a session from where another process left it, however stale its own read is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-sessions-"));
  const options = { mode: "write", stalenessMs: 3_600_000 } as const;
  const one = await openSessions(join(folder, "store"), options);
  const other = await openSessions(join(folder, "store"), options);
  // Each of them has read all there is.
  for (const sessions of [one, other]) await allRows(sessions);

  for (const [at, sessions] of [one, other, one].entries()) {
    await ingestDemo(sessions, pieces.slice(at, at + 1), { addsOnly: true });
  }

  const sessions = await openSessions(join(folder, "store"));
  await withStore(async (expected) => {
    await ingestDemo(expected, [whole]);
    expect(await allRows(sessions)).toEqual(await allRows(expected));
  });
  for (const each of [one, other, sessions]) each.close();
  rmSync(folder, { recursive: true, force: true });
});
