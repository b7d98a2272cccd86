import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { onFolders, temporaryFolder } from "../testing/store.ts";

const it = onFolders("how the engine is set up is the same there");

it.each(["0", "1", "2"])(
  "writes where the engine is told to read with %s threads",
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

/** In how many parts a process that knows of these settings makes the index of 20,000 words. */
async function partsOfIndex(settings: NodeJS.ProcessEnv): Promise<number> {
  const writer = fileURLToPath(new URL("../testing/index-writer.ts", import.meta.url));
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [writer, folder, "20"], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "close")).toEqual([0, null]);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((file) => /part_\d+_tokens\.lance$/.test(file)).length;
}

it("makes a text index in parts, so that the memory of it is bounded", async () => {
  const settings = { LANCE_FTS_NUM_SHARDS: "1" };

  expect(await partsOfIndex(settings)).toBe(1);
  expect(await partsOfIndex({ ...settings, LANCE_FTS_PARTITION_SIZE: "1" })).toBeGreaterThan(1);
});
