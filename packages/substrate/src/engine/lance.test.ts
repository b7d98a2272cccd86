import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { onFolders, temporaryFolder } from "../testing/store.ts";

const it = onFolders("how the engine is set up is the same there");

it.each(["0", "1", "01", "2"])(
  "writes when the environment sets %s threads for the engine's reads",
  async (threads) => {
    const writer = fileURLToPath(new URL("../testing/writer.ts", import.meta.url));
    const child = spawn(process.execPath, [writer, temporaryFolder(), "parts", "2"], {
      env: { ...process.env, LANCE_IO_THREADS: threads },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end("\n");

    const [said] = await Promise.all([text(child.stdout), once(child, "close")]);

    expect(said.trim().split("\n").slice(1)).toEqual(["0", "1"]);
  },
);

/** A process that knows of these settings makes the index of 20,000 words, and searches it. */
async function indexed(settings: NodeJS.ProcessEnv): Promise<{ parts: number; found: string }> {
  const writer = fileURLToPath(new URL("../testing/index-writer.ts", import.meta.url));
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [writer, folder], {
    env: { ...process.env, LANCE_FTS_NUM_SHARDS: "1", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [found] = await Promise.all([text(child.stdout), once(child, "close")]);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return { parts: files.filter((file) => /part_\d+_tokens\.lance$/.test(file)).length, found };
}

it("makes a text index in parts to bound its memory, and finds the same rows", async () => {
  const whole = await indexed({});
  const inParts = await indexed({ LANCE_FTS_PARTITION_SIZE: "1" });

  expect(whole.parts).toBe(1);
  expect(inParts.parts).toBeGreaterThan(1);
  // Two of the twenty have neither word.
  expect(JSON.parse(inParts.found).length).toBe(18);
  expect(inParts.found).toBe(whole.found);
});
