// The phi-core session specification, a row a statement: where sessions are kept.
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileStore } from "../files/index.ts";
import { tryLock } from "../files/lock.ts";
import { contentOf, type Row, testRecorder, user } from "../testing.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-recorder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function twoSessions(): Promise<void> {
  const recorder = testRecorder({ sink: createFileStore(folder) });
  recorder.loop({ agentId: "one" }).end();
  await recorder.checkpoint();
  recorder.rotate();
  recorder.loop({ agentId: "two" }).end();
  await recorder.flush();
  // A clock of a file system can be too coarse to tell them apart.
  utimesSync(join(folder, "s1.json"), 1, 1);
}

const persistence: Row[] = [
  [
    "Persistence API",
    "save writes {dir}/{session_id}.json and nothing stays beside it",
    async () => {
      await twoSessions();

      expect(readdirSync(folder).sort()).toEqual(["s1.json", "s2.json"]);
      expect(JSON.parse(readFileSync(join(folder, "s1.json"), "utf8"))).toHaveProperty(
        "session.id",
      );
    },
  ],
  [
    "Persistence API",
    "load reads what save wrote",
    async () => {
      const recorder = testRecorder();
      recorder.loop().say(user("Why?"));
      await createFileStore(folder).save(contentOf(recorder));

      expect(await createFileStore(folder).load("s1")).toEqual(contentOf(recorder));
      expect(await createFileStore(folder).load("s2")).toBeUndefined();
    },
  ],
  [
    "Persistence API",
    "listIds lists all, newest first",
    async () => {
      await twoSessions();

      expect(await createFileStore(folder).listIds()).toEqual(["s2", "s1"]);
    },
  ],
  [
    "Persistence API",
    "listForAgent loads those of an agent",
    async () => {
      await twoSessions();
      const store = createFileStore(folder);

      expect((await store.listForAgent("one")).map(({ session }) => session.id)).toEqual(["s1"]);
      expect(await store.listForAgent("nobody")).toEqual([]);
    },
  ],
  [
    "Persistence API",
    "delete removes one",
    async () => {
      await twoSessions();
      const store = createFileStore(folder);

      expect([await store.delete("s1"), await store.delete("s1")]).toEqual([true, false]);
      expect(await store.listIds()).toEqual(["s2"]);
    },
  ],
  [
    "Pluggable store trait",
    "any store that can save is a sink",
    async () => {
      const saved: string[] = [];
      const recorder = testRecorder({
        sink: { save: async ({ session }) => void saved.push(session.id) },
      });
      recorder.loop().end();
      await recorder.checkpoint();

      expect(saved).toEqual(["s1"]);
    },
  ],
  [
    "Pluggable store trait",
    "concurrent writers get Locked, readers coexist with them",
    async () => {
      await twoSessions();
      const store = createFileStore(folder);
      const content = await store.load("s1");
      const lock = await tryLock(join(folder, "s1.json.lock"));

      const saving = store.save(content ?? contentOf(testRecorder()));
      await expect(saving).rejects.toMatchObject({
        code: "locked",
        details: { session_id: "s1" },
      });
      expect(await store.load("s1")).toEqual(content);
      if ("release" in lock) await lock.release();
    },
  ],
  [
    "When to call flush()",
    "loops that did not end are saved as Aborted",
    async () => {
      const recorder = testRecorder({ sink: createFileStore(folder) });
      recorder.loop();
      await recorder.flush();
      const content = await createFileStore(folder).load("s1");

      const record = testRecorder().resume(content ?? contentOf(recorder));
      expect(record.loops.map((loop) => loop.status)).toEqual(["Aborted"]);
    },
  ],
];

test.each([...persistence])("%s: %s", (_section, _statement, run) => run());
