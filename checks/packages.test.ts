import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const folders = globSync("{packages,apps}/*/package.json").map((file) => ({
  folder: dirname(file),
}));

test.each(folders)(
  "$folder states its description, licence, module type and Node version, and has a README",
  ({ folder }) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\.$/),
      license: "Apache-2.0",
      type: "module",
      engines: { node: ">=22.18" },
    });
    expect(existsSync(join(folder, "README.md"))).toBe(true);
  },
);

test.each(globSync("packages/*/src/index.ts"))("%s consists of named re-exports only", (index) => {
  const text = readFileSync(index, "utf8");

  expect(text).not.toMatch(/export \*|export default/);
  expect(text.replaceAll(/export (type )?\{[^}]*\} from "[^"]+";\n/gs, "")).toBe("");
});
