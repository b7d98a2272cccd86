import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";

const module = new URL("memory-folder.ts", import.meta.url).href;

/** Runs a process that makes a folder for itself. Returns that folder and how the process ended. */
async function run(
  memory: string,
  then: string,
  before: string = "",
): Promise<{ folder: string; ended: unknown }> {
  const script = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    ${before}
    const { memoryFolder } = await import(${JSON.stringify(module)});
    const folder = memoryFolder(${JSON.stringify(memory)}, 0);
    process.stdout.write(folder, () => { ${then} });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [folder, [code, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { folder, ended: signal ?? code };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pond-memory-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

// Other systems have no such folder.
describe.runIf(process.platform === "linux")("a folder in memory", () => {
  test("is removed by the next run if its own run was killed, but not while it is in use", async () => {
    const memory = temporaryFolder();
    const killed = await run(memory, `process.kill(process.pid, "SIGKILL");`);
    expect([killed.ended, existsSync(killed.folder)]).toEqual(["SIGKILL", true]);

    const isThere = "process.exit(fs.existsSync(folder) ? 0 : 1)";
    const ended = await Promise.all([
      run(memory, `setTimeout(() => ${isThere}, 1_000);`),
      run(memory, ""),
      run(memory, ""),
    ]);

    expect(ended.map((each) => each.ended)).toEqual([0, 0, 0]);
    expect(readdirSync(memory)).toEqual([]);
  });

  test.each([
    ["is removed after its run even if the first attempts fail", 2, 0],
    ["that cannot be removed does not fail its run", Number.POSITIVE_INFINITY, 1],
  ])("%s", async (_, failures, left) => {
    const memory = temporaryFolder();
    const failing = `const { rmSync } = fs;
      let failures = ${failures};
      fs.rmSync = (...values) => {
        if (failures-- > 0) throw Object.assign(new Error(), { code: "ENOTEMPTY" });
        rmSync(...values);
      };
      syncBuiltinESMExports();`;

    const { ended } = await run(memory, "", failing);

    expect([ended, readdirSync(memory).length]).toEqual([0, left]);
  });
});
