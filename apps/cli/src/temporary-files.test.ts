import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Home, line } from "./testing.ts";
import { startOf } from "./testing-start.ts";

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
  await home.pond("sync", "-q");
});
afterAll(() => home.remove());

/** An empty folder for temporary files, and what tells a process of it. */
function temporary(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = mkdtempSync(join(home.folder, "tmp-"));
  return { folder, env: { ...home.env, TMPDIR: folder, TMP: folder, TEMP: folder } };
}

// Those that nobody waits for end before they are done where the machine is too busy for them.
const retry = 3;

// For each store that it opens the engine makes a folder there.
it.each([[["sync"]], [["search", "heron"]], [["status"]], [["complete", "zsh", "--", "get", ""]]])(
  "leaves nothing in the folder for temporary files: %j",
  { retry },
  async (argv) => {
    const { folder, env } = temporary();

    const { code } = await home.spawn(argv, { env });

    expect({ code, left: readdirSync(folder) }).toEqual({ code: 0, left: [] });
  },
);

it("leaves nothing in the folder for temporary files when nobody reads its output", {
  retry,
}, async () => {
  const { folder, env } = temporary();
  const child = spawn(process.execPath, [...startOf("main"), "list"], { env });
  child.stdout.destroy();
  const said: Buffer[] = [];
  child.stderr.on("data", (data) => said.push(data));

  const [code] = await once(child, "close");

  expect({ code, left: readdirSync(folder) }).toEqual({ code: 0, left: [] });
  expect(String(Buffer.concat(said))).not.toContain("error");
});

// On such a disk Node writes, and leaves, an empty draft for each module that it loads.
it.each([
  ["leaves nothing on a full disk", 0, false],
  ["keeps it where there is room", 1_000_000, true],
])("compiled code: %s", async (_, bavail, isKept) => {
  const cache = mkdtempSync(join(home.folder, "cache-"));
  const preload = `import fs from "node:fs"; fs.statfsSync = () => ({ bavail: ${bavail}, bsize: 4096 });`;
  const start = [
    "--import",
    `data:text/javascript,${encodeURIComponent(preload)}`,
    ...startOf("main"),
  ];

  const { code } = await home.spawn(["--version"], { start, env: { XDG_CACHE_HOME: cache } });

  const left = readdirSync(cache, { recursive: true, withFileTypes: true });
  expect([code, left.some((entry) => entry.isFile())]).toEqual([0, isKept]);
});
