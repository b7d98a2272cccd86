import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "pond-lean-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = join(folder, "stays.mjs");
writeFileSync(
  script,
  `import { startLean } from ${JSON.stringify(new URL("lean.ts", import.meta.url).href)};
startLean();
const { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_ } = process.env;
let said = "";
for await (const chunk of process.stdin) said += chunk;
const { pid, argv } = process;
const args = argv.slice(2);
console.log(JSON.stringify({ pid, MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_, said, args }));
`,
);

async function run(env: Readonly<Record<string, string>>): Promise<[unknown, number | undefined]> {
  const child = spawn(process.execPath, [script, "a", "b c"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end("waiting already");
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  return [JSON.parse(said), child.pid];
}

test.runIf(process.platform === "linux" && process.execve !== undefined)(
  "a process that stays is the same one, with its arguments and streams, and gives memory back",
  async () => {
    const [child, pid] = await run({ PATH: process.env["PATH"] ?? "" });

    expect(child).toEqual({
      pid,
      ...{ MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" },
      ...{ said: "waiting already", args: ["a", "b c"] },
    });
  },
);

test("what the environment says of the allocator stays", async () => {
  const [child] = await run({ MALLOC_ARENA_MAX: "4" });

  expect(child).toMatchObject({ MALLOC_ARENA_MAX: "4", said: "waiting already" });
  expect(child).not.toHaveProperty("MALLOC_TRIM_THRESHOLD_");
});
