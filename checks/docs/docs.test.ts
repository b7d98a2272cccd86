// Every block of the documentation is run, in the order of its page, in one home (page-home.ts) and
// one shell.
//
//   ```sh        must succeed, each command of it
//   ```console   `$ command` and what it prints, compared: exactly but for durations, sizes and the
//                width of gaps; a line `...` stands for any lines. A command that fails is followed
//                by `$ echo $?`. UPDATE=1 writes what was printed; read the difference.
//   ```toml      is read by pond, and its configuration for the rest of the page
//   ```json      must parse
//   ```ts        is run by checks/readme.test.ts
//
// Port 9797 stands for a free one. What cannot run here says so behind the language, as in
// "sh not-run: needs docker"; bash reads it all the same.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { runPage } from "./run-page.ts";

// As many pages at once as there are cores. A page starts up to forty programs.
vi.setConfig({ maxConcurrency: 2, testTimeout: 240_000 });

const readmes = globSync("{packages,apps}/*/README.md");
const pages = [...globSync("docs/*.md"), "README.md", "CONTRIBUTING.md", ...readmes].sort();
const isUpdating = process.env["UPDATE"] === "1";

const notRun: string[] = [];
let ran = 0;
afterAll(() => {
  const list = notRun.sort().map((each) => `\n  ${each}`);
  console.log(
    `docs: ${ran} commands and files run; not run, ${notRun.length} blocks:${list.join("")}`,
  );
});

test.concurrent.each(pages)("%s: every code block runs as the page says", async (page) => {
  const report = await runPage(page, isUpdating);
  notRun.push(...report.notRun);
  ran += report.ran;

  expect(report.wrong.join("\n\n")).toBe("");
});

test.each(pages)("%s links only to files that exist", (page) => {
  const text = readFileSync(page, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const files = targets.filter((target) => !/^(https?:|#)/.test(target));

  const missing = files.filter((file) => !existsSync(join(dirname(page), file.replace(/#.*/, ""))));

  expect(missing).toEqual([]);
});

test("CONTRIBUTING.md names every package", () => {
  const [, tree = ""] =
    /```text\n([\s\S]*?)```/.exec(readFileSync("CONTRIBUTING.md", "utf8")) ?? [];
  const folders = globSync("{packages,apps}/*/package.json").map((file) => dirname(file));
  const isNamed = (folder: string): boolean =>
    tree.includes(folder) || new RegExp(`^ .*\\b${basename(folder)}\\b`, "m").test(tree);

  expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
});
