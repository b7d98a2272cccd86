import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

type Example = { readonly readme: string; readonly code: string; readonly printed: string };

const examples: Example[] = globSync("{packages,apps}/*/README.md").flatMap((readme) =>
  [...readFileSync(readme, "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => ({
    readme,
    code,
    printed: [...code.matchAll(/^\/\/ prints: (.*)$/gm)].map(([, line]) => line).join("\n"),
  })),
);

test("there are examples to run", () => {
  expect(examples).not.toEqual([]);
});

test.each(examples)("$readme prints what it says", ({ readme, code, printed }) => {
  const output = execFileSync(
    process.execPath,
    ["--conditions=@pond/source", "--input-type=module-typescript", "--eval", code],
    { cwd: dirname(readme), encoding: "utf8" },
  );

  expect(output.trim()).toBe(printed);
});
