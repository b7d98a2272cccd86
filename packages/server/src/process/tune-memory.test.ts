import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "pond-memory-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = join(folder, "stays.mjs");
writeFileSync(
  script,
  `import { readFileSync } from "node:fs";
import { tuneMemory } from ${JSON.stringify(new URL("tune-memory.ts", import.meta.url).href)};
process.execPath = process.env["NODE_SAID"] ?? process.execPath;
tuneMemory(process.env["WORK"] ?? "serving");
const { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_, GLIBC_TUNABLES } = process.env;
let said = "";
for await (const chunk of process.stdin) said += chunk;
const { pid, argv, execArgv: flags } = process;
const args = argv.slice(2);
if (args[0]?.startsWith("/dev/fd/")) said = readFileSync(args[0], "utf8");
const allocator = { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_, GLIBC_TUNABLES };
console.log(JSON.stringify({ pid, ...allocator, said, args, flags }));
`,
);

type How = {
  /** What loads Node's libraries, where it is not left to the system. */
  readonly loader?: readonly string[];
  readonly flags?: readonly string[];
  readonly more?: "ipc"[];
};

async function run(
  env: Readonly<Record<string, string>>,
  { loader = [], flags = [], more = [] }: How = {},
): Promise<[unknown, number | undefined]> {
  const [program = process.execPath, ...before] = [...loader, process.execPath, ...flags];
  const child = spawn(program, [...before, script, "a", "b c"], {
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
  "a serving process restarts in place to give memory back, with the same arguments and streams",
  async () => {
    const [child, pid] = await run({ PATH: process.env["PATH"] ?? "" });

    expect(child).toEqual({
      pid,
      ...{ MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "8388608" },
      GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
      ...{ said: "waiting already", args: ["a", "b c"], flags: [] },
    });
  },
);

test.runIf(process.platform === "linux" && process.execve !== undefined)(
  "a batch process also gets a smaller semi-space, which flags of its own override",
  async () => {
    const flags = ["--max-semi-space-size=64"];

    const [child] = await run({ WORK: "batches" }, { flags });

    expect(child).toMatchObject({
      ...{ MALLOC_ARENA_MAX: "2", said: "waiting already", args: ["a", "b c"] },
      ...{ GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" },
      flags: ["--max-semi-space-size=8", ...flags],
    });
  },
);

test.runIf(process.platform === "linux" && process.execve !== undefined)(
  "a batch process gets no semi-space flag when NODE_OPTIONS sets one",
  async () => {
    const NODE_OPTIONS = "--max_semi_space_size=64";

    const [child] = await run({ WORK: "batches", NODE_OPTIONS });

    expect(child).toMatchObject({ MALLOC_ARENA_MAX: "2", said: "waiting already", flags: [] });
  },
);

test.runIf(process.platform === "linux" && process.execve !== undefined)(
  "a process keeps C library tunables that do not concern the allocator, in front of its own",
  async () => {
    const [child] = await run({
      WORK: "batches",
      GLIBC_TUNABLES: "glibc.rtld.optional_static_tls=512",
    });

    expect(child).toMatchObject({
      GLIBC_TUNABLES: "glibc.rtld.optional_static_tls=512:glibc.malloc.hugetlb=1",
    });
  },
);

test.each([
  ["MALLOC_ARENA_MAX", "4"],
  ["GLIBC_TUNABLES", "glibc.malloc.arena_max=4"],
])("a process whose environment sets the allocator keeps that setting: %s", async (name, value) => {
  const [child] = await run({ WORK: "batches", [name]: value });

  expect(child).toMatchObject({ [name]: value, said: "waiting already", flags: [] });
  expect(child).not.toHaveProperty("MALLOC_TRIM_THRESHOLD_");
});

const loader =
  process.platform === "linux" ? loaderOf(readFileSync("/proc/self/maps", "utf8")) : "";

function loaderOf(maps: string): string {
  return /\/\S*\/ld[^/\s]*\.so\S*/.exec(maps)?.[0] ?? "";
}

test.runIf(loader)("a process started through the system's loader goes on as it is", async () => {
  const [child] = await run({}, { loader: [loader] });

  expect(child).toMatchObject({ said: "waiting already", args: ["a", "b c"] });
  expect(child).not.toHaveProperty("MALLOC_ARENA_MAX");
});

test.each([
  ["may not start programs", { flags: ["--permission", "--allow-fs-read=*"] }],
  ["has an IPC channel to its parent", { more: ["ipc" as const] }],
])("a process that %s goes on as it is", async (_, how) => {
  const [child] = await run({}, how);

  expect(child).toMatchObject({ said: "waiting already", args: ["a", "b c"] });
  expect(child).not.toHaveProperty("MALLOC_ARENA_MAX");
});

// Without /proc, or where Node was replaced meanwhile.
test.each(["node", "/nowhere/node"])(
  "a process whose Node cannot be found again goes on as it is: %s",
  async (NODE_SAID) => {
    const [child] = await run({ NODE_SAID });

    expect(child).toMatchObject({ said: "waiting already", args: ["a", "b c"] });
    expect(child).not.toHaveProperty("MALLOC_ARENA_MAX");
  },
);

test.each([[[]], [["-", "a"]]])(
  "a process whose script came on stdin runs it, and goes on as it is: node %s",
  async (args) => {
    const child = spawn(process.execPath, args, { env: {}, stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(`import(${JSON.stringify(pathToFileURL(script).href)});`);

    const [said] = await Promise.all([text(child.stdout), once(child, "close")]);

    expect(JSON.parse(said)).toMatchObject({ pid: child.pid, args: args.slice(1) });
  },
);

test.runIf(process.platform === "linux")(
  "a process that is given an open file descriptor can still read it",
  async () => {
    const opened = openSync(script, "r");
    const child = spawn(process.execPath, [script, "/dev/fd/3"], {
      ...{ env: {}, stdio: ["ignore", "pipe", "inherit", opened] },
    });
    closeSync(opened);

    const [said] = await Promise.all([text(child.stdio[1] as Readable), once(child, "close")]);

    expect(JSON.parse(said)).toMatchObject({ said: readFileSync(script, "utf8") });
  },
);
