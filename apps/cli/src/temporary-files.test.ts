import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Home, line, startOf } from "./testing.ts";

let home: Home;
let folder: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  home = new Home();
  folder = join(home.folder, "tmp");
  mkdirSync(folder);
  env = { ...home.env, TMPDIR: folder, TMP: folder, TEMP: folder };
  home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
  await home.pond("sync", "-q");
});
afterAll(() => home.remove());

// For each store that it opens the engine makes a folder there.
it.each([[["sync"]], [["search", "heron"]], [["status"]], [["complete", "zsh", "--", "get", ""]]])(
  "leaves nothing in the folder for temporary files: %j",
  async (argv) => {
    const { code } = await home.spawn(argv, { env });

    expect({ code, left: readdirSync(folder) }).toEqual({ code: 0, left: [] });
  },
);

it("leaves nothing there either where nobody reads what is printed", async () => {
  const child = spawn(process.execPath, [...startOf("main.ts"), "list"], { env });
  child.stdout.destroy();
  const said: Buffer[] = [];
  child.stderr.on("data", (data) => said.push(data));

  const [code] = await once(child, "close");

  expect({ code, left: readdirSync(folder) }).toEqual({ code: 0, left: [] });
  expect(String(Buffer.concat(said))).not.toContain("error");
});
