import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { openSessions } from "../session-store.ts";
import { shown } from "../testing.ts";

const projects = ["/shop", "/blog", "/wiki"];
const sessionCount = 8;

/** Ingests sessions of ids that every project has, as soon as the others do. */
const program = `
  const [{ openSessions }, { ingestDemo, said }] = await Promise.all([
    import(${JSON.stringify(new URL("../session-store.ts", import.meta.url).href)}),
    import(${JSON.stringify(new URL("../testing.ts", import.meta.url).href)}),
  ]);
  const [store, project, startMs] = process.argv.slice(1);
  const demos = Array.from({ length: ${sessionCount} }, (_, session) => ({
    id: "s" + session,
    project,
    seconds: project.charCodeAt(1) % 60,
    messages: [{ id: "mode", role: "carrier" }, said(project + 1), said(project + 2)],
  }));
  const sessions = await openSessions(store, { mode: "write" });
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, startMs - Date.now())));
  const options = { shouldQualifyIds: true, now: () => new Date(), maxBatchBytes: 3000 };
  const outcomes = await ingestDemo(sessions, demos, options);
  console.log(outcomes.reduce((sum, { deferred }) => sum + deferred, 0));
`;

async function ingestAtOnce(store: string): Promise<number> {
  const startMs = Date.now() + 3_000;
  const argv = ["--conditions=@pond/source", "--input-type=module", "--eval", program, store];
  const runs = await Promise.all(
    projects.map((each) => promisify(execFile)(process.execPath, [...argv, each, String(startMs)])),
  );
  return runs.reduce((sum, { stdout }) => sum + Number(stdout), 0);
}

it("keeps sessions of three projects with the same ids apart when three processes store them at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-sessions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, "store");
  (await openSessions(store, { mode: "write" })).close();
  let deferred = await ingestAtOnce(store);
  // Each run leaves fewer for the next one.
  for (let run = 0; deferred > 0 && run < projects.length; run++) {
    deferred = await ingestAtOnce(store);
  }

  const sessions = await openSessions(store);
  onTestFinished(() => sessions.close());
  const rows = await sessions.store.table("sessions").rows({ columns: ["id", "project"] });
  expect(deferred).toBe(0);
  expect(rows.length).toBe(projects.length * sessionCount);
  for (const { id, project } of rows) {
    const texts = await shown(sessions, String(id));
    expect(texts).toEqual([
      "mode",
      ...[1, 2].map((at) => `${project}${at}: This is ${project}${at}.`),
    ]);
  }
}, 120_000);
