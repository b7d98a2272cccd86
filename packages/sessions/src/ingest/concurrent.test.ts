import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openSessions } from "../session-store.ts";
import { allRows, ingestDemo, said, withStore } from "../testing.ts";

const sessionCount = 12;

const demos = Array.from({ length: sessionCount }, (_, session) => ({
  id: `s${session}`,
  messages: Array.from({ length: 20 }, (_, at) => said(`m${at}`)),
}));

const program = `
  const [{ openSessions }, { ingestDemo, said }] = await Promise.all([
    import(${JSON.stringify(new URL("../session-store.ts", import.meta.url).href)}),
    import(${JSON.stringify(new URL("../testing.ts", import.meta.url).href)}),
  ]);
  const demos = Array.from({ length: ${sessionCount} }, (_, session) => ({
    id: "s" + session,
    messages: Array.from({ length: 20 }, (_, at) => said("m" + at)),
  }));
  const sessions = await openSessions(process.argv[1], { mode: "write" });
  await ingestDemo(sessions, demos, { maxBatchBytes: 10_000, now: () => new Date() });
  console.log("done");
`;

it("stores the same sessions once when four processes ingest them at the same time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-sessions-"));
  const store = join(folder, "store");
  const args = ["--conditions=@pond/source", "--input-type=module", "--eval", program, store];

  const runs = await Promise.all(
    Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args)),
  );

  expect(runs.map(({ stdout }) => stdout.trim())).toEqual(["done", "done", "done", "done"]);
  const sessions = await openSessions(store);
  await withStore(async (other) => {
    await ingestDemo(other, demos);
    expect(await allRows(sessions)).toEqual(await allRows(other));
  });
  sessions.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
