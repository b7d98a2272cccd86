import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { onFolders, temporaryFolder } from "../testing/store.ts";

const it = onFolders("how many threads there are is the same there");

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
