import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolder } from "./make-folder.ts";

it("makes missing folders for this user alone, even when called twice at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a", "b", "c");

  await Promise.all([makeFolder(path), makeFolder(path)]);
  await makeFolder(path);

  const isPrivate = (statSync(join(folder, "a")).mode & 0o077) === 0;
  expect(isPrivate).toBe(process.platform !== "win32");
  writeFileSync(join(folder, "file"), "");
  await expect(makeFolder(join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
});

it.runIf(process.platform === "linux")("ends with an error where no folder can be made", () => {
  // By another process: where it fails, its thread never ends.
  const code = `
    const { makeFolder } = await import(${JSON.stringify(new URL("make-folder.ts", import.meta.url).href)});
    await makeFolder("/proc/pond/a").catch((error) => console.log(error.code));
  `;
  const args = ["--conditions=@pond/source", "--input-type=module", "--eval", code];
  const ended = spawnSync(process.execPath, args, { timeout: 60_000, killSignal: "SIGKILL" });

  expect(ended.stdout.toString().trim()).toBe("ENOENT");
});
