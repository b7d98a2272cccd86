import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventText, findSessions, readAll } from "@pond/adapter-testkit";
import { afterAll, describe, expect, it } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/claude-code", import.meta.url));
const folders = globSync("*/input", { cwd: fixtures }).map((input) =>
  join(fixtures, dirname(input)),
);
const copies = mkdtempSync(join(tmpdir(), "pond-fixtures-"));
afterAll(() => rmSync(copies, { recursive: true }));

describe.each(folders.map((folder) => ({ name: basename(folder), folder })))(
  "the fixture $name",
  ({ folder }) => {
    it("is read as the reviewed canonical events (`UPDATE=1` writes them)", async () => {
      // Written just now: the end of an old log is no longer being written.
      const input = join(copies, basename(folder));
      cpSync(join(folder, "input"), input, { recursive: true });
      const reader = fromClaudeCode(input);
      const lines: string[] = [];
      for (const { key } of (await findSessions(reader)).sessions) {
        lines.push(`read ${key}`, ...(await readAll(reader, key)).map(eventText));
      }
      const text = `${lines.join("\n")}\n`.replaceAll(input, "");

      const expected = join(folder, "expected.txt");
      if (process.env["UPDATE"] === "1") writeFileSync(expected, text);
      expect(text.split("\n")).toEqual(readFileSync(expected, "utf8").split("\n"));
    });
  },
);
