import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConflictError, StorageUnavailableError } from "../errors.ts";
import { DurableFolder } from "../storage/storage.ts";
import { temporaryFolder } from "../testing/store.ts";
import { canLock, WriterLock } from "./writer-lock.ts";

const place = { table: "parts", location: "/store" };

function lockIn(folder: string, maxWaitMs?: number): WriterLock {
  const lock = new WriterLock(join(folder, "writer.lock"), place, maxWaitMs);
  onTestFinished(() => lock.close());
  return lock;
}

/** A process that holds the lock until it is killed. */
async function startHolder(folder: string) {
  const module = new URL("./writer-lock.ts", import.meta.url).href;
  const script = `
    const { WriterLock } = await import(${JSON.stringify(module)});
    const lock = new WriterLock(${JSON.stringify(join(folder, "writer.lock"))}, { table: "parts", location: "" });
    await lock.hold(undefined, () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1000)); });
  `;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  return holder;
}

/** Whether another process gets the lock at once. */
async function waitForLock(folder: string): Promise<string> {
  const module = new URL("./writer-lock.ts", import.meta.url).href;
  const script = `
    const { WriterLock } = await import(${JSON.stringify(module)});
    const lock = new WriterLock(${JSON.stringify(join(folder, "writer.lock"))}, { table: "parts", location: "" }, 0);
    const taken = lock.hold(undefined, async () => "free").catch(() => "busy");
    console.log(await taken);
  `;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim();
}

describe("the lock of a table", () => {
  it("lets only one of its holders run at a time", async () => {
    const folder = temporaryFolder();
    let running = 0;
    let most = 0;
    let turns = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      turns++;
    };

    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const lock = lockIn(folder);
        for (let turn = 0; turn < 10; turn++) await lock.hold(undefined, work);
      }),
    );

    expect([most, turns]).toEqual([1, 40]);
  });

  it("is held by another process until that process ends, and leaves an empty file", async () => {
    const folder = temporaryFolder();
    const holder = await startHolder(folder);
    const hold = () => lockIn(folder, 50).hold(undefined, async () => "mine");

    await expect(hold()).rejects.toThrow(ConflictError);
    await expect(hold()).rejects.toThrow("may be suspended: let it go on, or end it");
    holder.kill("SIGKILL");
    await once(holder, "exit");

    expect(await hold()).toBe("mine");
    expect(readdirSync(folder)).toEqual(["writer.lock"]);
    expect(statSync(join(folder, "writer.lock")).size).toBe(0);
  });

  it("is taken on a new file after its old file was deleted", async () => {
    const folder = temporaryFolder();
    const lock = lockIn(folder);
    await lock.hold(undefined, async () => undefined);

    rmSync(join(folder, "writer.lock"));
    const taken = await lock.hold(undefined, () => waitForLock(folder));

    expect(taken).toBe("busy");
  });

  it("cannot be taken once it is closed", async () => {
    const lock = lockIn(temporaryFolder());
    lock.close();

    await expect(lock.hold(undefined, async () => undefined)).rejects.toThrow("closed");
  });

  it("says what to do about a lock file that is not empty", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "writer.lock"),
      "not a database, but long enough to be one".repeat(30),
    );

    const held = lockIn(folder).hold(undefined, async () => undefined);

    await expect(held).rejects.toThrow("is not empty: empty it, and do not delete it");
  });

  it("is kept while its folder is flushed in the same process", async () => {
    const folder = temporaryFolder();
    // What one that was killed left when it made the file.
    writeFileSync(join(folder, "writer.lock"), "");
    linkSync(join(folder, "writer.lock"), join(folder, "writer.lock-0"));
    const durable = new DurableFolder(folder);
    const taken = await lockIn(folder).hold(undefined, async () => {
      await durable.flush();
      return waitForLock(folder);
    });

    expect(taken).toBe("busy");
  });

  it("is free again after the work under it failed", async () => {
    const folder = temporaryFolder();
    const lock = lockIn(folder);
    const fail = () => Promise.reject(new RangeError("no"));

    await expect(lock.hold(undefined, fail)).rejects.toThrow(RangeError);

    expect(await lockIn(folder, 0).hold(undefined, async () => "mine")).toBe("mine");
  });

  it("is no longer waited for once the caller aborts", async () => {
    const folder = temporaryFolder();
    await startHolder(folder);
    const given = new AbortController();
    const waiting = lockIn(folder).hold(given.signal, async () => "mine");

    given.abort();

    await expect(waiting).rejects.toThrow(/aborted/);
  });

  it.each([0o770, 0o755])(
    "gives its file the read and write permissions of its folder: %o",
    async (mode) => {
      const folder = temporaryFolder();
      chmodSync(folder, mode);

      await lockIn(folder).hold(undefined, async () => undefined);

      expect(statSync(join(folder, "writer.lock")).mode & 0o777).toBe(mode & 0o666);
    },
  );

  it("names its file when the file cannot be locked", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "writer.lock"));

    const held = lockIn(folder).hold(undefined, async () => undefined);

    await expect(held).rejects.toThrow(StorageUnavailableError);
    await expect(held).rejects.toThrow(`${join(folder, "writer.lock")} cannot be locked`);
  });
});

describe("a folder", () => {
  it("can be locked on a known file system", () => {
    expect(canLock(tmpdir())).toBe(true);
  });

  it.runIf(process.platform === "linux")("cannot be locked on an unknown file system", () => {
    expect(canLock("/proc")).toBe(false);
  });
});
