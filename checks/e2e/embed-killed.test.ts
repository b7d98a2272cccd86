import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openEmbedder } from "@pond/embed";
import { buildTestModel } from "@pond/embed-testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conditions } from "../../apps/cli/src/testing-start.ts";
import {
  createEmbedStore,
  type EmbedStore,
  embeddedTexts,
  linesOf,
  lostTexts,
  wrongEmbeddings,
} from "./embed-store.ts";

const messages = process.env["POND_ALL"] ? 10_000 : 1_000;
const kills = Number(process.env["POND_KILLS"] ?? 3);
const seed = Number(process.env["POND_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const batches = 50;
const batchesInCommit = 3;
const textsInCommit = (messages / batches) * batchesInCommit;
const child = fileURLToPath(import.meta.resolve("./embed-child.ts"));

const random = generator(seed);
let store: EmbedStore;
beforeAll(async () => {
  store = await createEmbedStore(messages);
}, 600_000);
afterAll(() => store.remove());

// In turn on one store: each replaces the vectors of the one before.
describe(`embedding ${messages} messages, killed ${kills} times (POND_SEED=${seed})`, () => {
  it.each([
    ["for the first time", "first", 64],
    ["by another model of the same dimension", "second", 64],
    ["by a model of another dimension", "third", 96],
    ["once more, by force", "third", 96],
  ])(
    "%s completes, embeds no text again whose vector was stored, and loses no text",
    async (name, folder, dimension) => {
      const model = join(store.folder, folder);
      await buildTestModel(model, { dimension, words: [folder] });
      const embedder = await openEmbedder({ kind: "folder", folder: model });
      const stored = () => store.read((sessions) => embeddedTexts(sessions, embedder.modelId));
      const asked: string[] = [];
      let isForced = name.includes("force");

      for (let run = 0; run <= kills; run++) {
        const before = isForced ? new Set<string>() : await stored();
        // The first one is killed before its first batch, when a column may be replaced.
        const lines = run === 0 ? 1 : 1 + Math.floor((random() * batches) / kills / 2);
        const texts = await embed(model, isForced, run < kills ? lines : undefined);
        expect(texts.filter((text) => before.has(text))).toEqual([]);
        asked.push(...texts);
        // A forced run is finished without force, because force would begin again.
        if (isForced) isForced = (await stored()).size === messages && texts.length === 0;
      }

      expect(new Set(asked).size).toBe(messages);
      expect(asked.length - messages).toBeLessThanOrEqual(kills * textsInCommit);
      await store.read(async (sessions) => {
        expect(await wrongEmbeddings(sessions, messages, embedder)).toEqual([]);
        expect(await lostTexts(sessions, messages)).toEqual([]);
      });
      await embedder.close();
    },
    600_000,
  );
});

/**
 * Embeds in a separate process, which is killed soon after it has printed so many lines.
 *
 * @returns The texts that it embedded.
 */
async function embed(model: string, isForced: boolean, linesToKill?: number): Promise<string[]> {
  const log = join(store.folder, "log");
  const settings = [messages / batches, batchesInCommit, isForced ? "force" : ""].map(String);
  const started = spawn(
    process.execPath,
    [...conditions, child, store.storage, model, log, ...settings],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const end = once(started, "exit");
  let lines = 0;
  for await (const _ of createInterface(started.stdout)) {
    lines += 1;
    if (lines !== linesToKill) continue;
    // A model is loaded before older vectors are dropped for it.
    await sleep(random() * (linesToKill === 1 ? 120 : 15));
    started.kill("SIGKILL");
  }
  const [code] = await end;
  // A run that is not to be killed succeeds, and any other is killed.
  expect(code).toBe(linesToKill === undefined ? 0 : null);
  const texts = linesOf(log);
  rmSync(log);
  return texts;
}

/** Numbers from 0 to 1, the same for the same seed. */
function generator(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
