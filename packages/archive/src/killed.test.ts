import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadLineage, rootIds, type SessionStore } from "@pond/sessions";
import { describe, expect, it } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import {
  allRows,
  demoSessions,
  filesBelow,
  ingest,
  openStore,
  temporaryFolder,
} from "./testing.ts";
import { verifyArchive } from "./verify-archive.ts";

const child = fileURLToPath(new URL("./testing-child.ts", import.meta.url));

/** Runs a child until it says a line that begins so, kills it, and gives what it said. */
async function killAt(beginning: string, ...args: readonly string[]): Promise<string[]> {
  const running = spawn(process.execPath, ["--conditions=@pond/source", child, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const closed = once(running, "close");
  for await (const line of createInterface({ input: running.stdout })) {
    lines.push(line);
    if (line.startsWith(beginning)) break;
  }
  running.kill("SIGKILL");
  await closed;
  return lines;
}

/** How many messages each session has: all it should, or it is not there. */
async function messageCounts(sessions: SessionStore): Promise<number[]> {
  await sessions.store.refresh();
  const counts = [];
  for (const id of await rootIds(sessions)) {
    counts.push((await loadLineage(sessions, id)).root.messages.length);
  }
  return counts;
}

describe("a killed process", () => {
  it.each(["copy", "compact", "pack"])(
    "leaves no archive in step %s of an export, and no other files once the export is repeated",
    async (step) => {
      const folder = temporaryFolder();
      const store = join(temporaryFolder(), "store");
      const sessions = await openStore(store);
      await ingest(sessions, demoSessions(4));
      const file = join(folder, "a.pond");

      const said = await killAt(step, "export", store, file);
      const left = filesBelow(folder);
      await exportArchive(sessions, file);

      expect(said.at(-1)).not.toBe("finished");
      expect(left).not.toContain("a.pond");
      expect(filesBelow(folder)).toEqual(["a.pond"]);
      expect((await verifyArchive(file)).rows["messages"]).toBe(12);
    },
  );

  it.each(["unpack", "check", "copy", "fold"])(
    "leaves only whole sessions in step %s of an import, which the next import completes",
    async (step) => {
      const folder = temporaryFolder();
      const source = await openStore();
      await ingest(source, demoSessions(4));
      const file = join(folder, "a.pond");
      await exportArchive(source, file);
      const unpacked = join(folder, "unpacked");
      mkdirSync(unpacked);

      const said = await killAt(step, "import", file, join(folder, "store"), unpacked);
      const sessions = await openStore(join(folder, "store"));
      const counts = await messageCounts(sessions);
      await importArchive(file, sessions, { temporaryFolder: unpacked });

      expect(said.at(-1)).not.toBe("finished");
      expect(counts.every((count) => count === 3)).toBe(true);
      expect(await allRows(sessions)).toEqual(await allRows(source));
      expect(filesBelow(unpacked)).toEqual([]);
    },
  );

  it("leaves a copy that the next one completes without inserting anything twice", async () => {
    const folder = temporaryFolder();
    const source = await openStore(join(folder, "from"));
    await ingest(source, demoSessions(4, 20));
    const total = 80;

    await killAt("copy", "copy", join(folder, "from"), join(folder, "to"));
    const target = await openStore(join(folder, "to"));
    const before = await target.store.table("parts").count();
    const { tables } = await copySessions(source, target);

    expect(tables["parts"]).toEqual({ inserted: total - before, present: before });
    expect(await allRows(target)).toEqual(await allRows(source));
  });
});
