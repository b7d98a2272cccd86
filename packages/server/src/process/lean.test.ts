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

async function run(
  env: Readonly<Record<string, string>>,
  { flags = [], more = [] }: { readonly flags?: readonly string[]; readonly more?: "ipc"[] } = {},
): Promise<[unknown, number | undefined]> {
  const child = spawn(process.execPath, [...flags, script, "a", "b c"], {
    env,
    stdio: ["pipe", "pipe", "inherit", ...more],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new TypeError("no pipes");
  stdin.end("waiting already");
  const [said] = await Promise.all([text(stdout), once(child, "close")]);
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

test.each([
  ["may not start programs", { flags: ["--permission", "--allow-fs-read=*"] }],
  ["is spoken to by whoever started it, which would end", { more: ["ipc" as const] }],
])("one that %s goes on as it is", async (_, how) => {
  const [child] = await run({}, how);

  expect(child).toMatchObject({ said: "waiting already", args: ["a", "b c"] });
  expect(child).not.toHaveProperty("MALLOC_ARENA_MAX");
});
