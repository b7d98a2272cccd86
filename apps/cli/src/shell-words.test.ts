import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { safeText } from "./output/safe-text.ts";
import { shellLine } from "./shell-words.ts";

it.each<[readonly string[], string]>([
  [["claude", "--resume", "5e55-a"], "claude --resume 5e55-a"],
  [["cd", "/home/ada/my loom"], "cd '/home/ada/my loom'"],
  [["cd", "/a'; rm -rf ~; '"], "cd '/a'\\''; rm -rf ~; '\\'''"],
  [["cd", "/\u001b[31m'\\"], "cd $'/\\x1b[31m\\'\\\\'"],
  [["cd", "/\u202eabc"], "cd $'/\\xe2\\x80\\xaeabc'"],
  [["cd", "/a\u{e0041}b"], "cd $'/a\\xf3\\xa0\\x81\\x81b'"],
  [["echo", "", "$HOME", "`x`", "織機"], "echo '' '$HOME' '`x`' '織機'"],
])("quotes %j so that a shell reads the same words", (words, expected) => {
  expect(shellLine(words)).toBe(expected);
  const script = `printf '%s\\0' ${shellLine(words)}`;
  const read = execFileSync("bash", ["-c", script], { encoding: "utf8" });
  expect(read.split("\0").slice(0, -1)).toEqual(words);
  expect(safeText(shellLine(words))).toBe(expected);
});
