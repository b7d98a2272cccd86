import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Home, line } from "./testing.ts";

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
  await home.pond("sync", "-q", "--storage", join(home.folder, "elsewhere"));
  await home.pond(
    "export",
    "-q",
    "-o",
    join(home.folder, "all.pond"),
    "--storage",
    join(home.folder, "elsewhere"),
  );
});
afterAll(() => home.remove());

it.each([
  ["sync", ["sync"]],
  ["import", ["import", "all.pond"]],
  ["copy", ["copy", "elsewhere", "@"]],
])("makes the folder of the store for this user alone: %s", async (name, argv) => {
  const data = join(home.folder, `data-of-${name}`);

  const { code, stderr } = await home.spawn(argv, { env: { XDG_DATA_HOME: data } });

  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
  expect(statSync(join(data, "pond")).mode & 0o777).toBe(0o700);
  expect(statSync(join(data, "pond", "default")).isDirectory()).toBe(true);
});
