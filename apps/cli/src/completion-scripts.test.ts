import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { completionScript, howToInstall, type Shell, shells } from "./completion-scripts.ts";
import { Home, line } from "./testing.ts";
import { startOf } from "./testing-start.ts";

const runFile = promisify(execFile);

// Each of them would make the file if a shell evaluated it.
const attack =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for shells
  "$(touch canary)`touch canary`;touch canary;'\"\\ %F{red}%(?.a.b)${(e)x}{a,b}*?[a]~#!! é:=|&<>";
const project = `/work/${attack}`;

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.writeSession("aaaa0000-hostile", line("aaaa0000-hostile", "m1", attack, { cwd: project }));
  home.writeSession("bbbb0000-other", line("bbbb0000-other", "m2", "no harm", { cwd: "/work/b" }));
  expect((await home.pond("sync", "-q")).code).toBe(0);
  const words = [process.execPath, ...startOf("main")].map((word) => `'${word}'`);
  chmodSync(home.write("bin/pond", `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`), 0o755);
  for (const shell of shells) home.write(`pond.${shell}`, completionScript(shell));
  mkdirSync(join(home.folder, "a folder"));
  writeFileSync(join(home.folder, "an archive.pond"), "");
});
afterAll(() => home.remove());
beforeEach(() => expect(canary()).toBe(false));

function canary(): boolean {
  return existsSync(join(home.folder, "canary"));
}

/** What a program of a shell prints, run where the canary would be seen. */
async function shellRun(shell: string, ...argv: readonly string[]): Promise<string> {
  const path = `${join(home.folder, "bin")}:${home.env["PATH"]}`;
  const env = { ...home.env, PATH: path, TERM: "xterm", COLUMNS: "200" };
  const { stdout } = await runFile(shell, argv, { cwd: home.folder, env, timeout: 60_000 });
  return stdout;
}

// Nobody who presses Tab waits longer than 5 s for the store, and a busy machine may take them.
const again = { retry: 3 };

const isThere = new Map<Shell, boolean>();
for (const shell of shells) {
  const found = await runFile(shell, ["-c", "exit"]).then(
    () => true,
    () => false,
  );
  isThere.set(shell, found);
  if (!found) console.warn(`there is no ${shell} here, so its completion script is not tried`);
}

// Puts a line's words where bash does, and prints what the function makes of the last.
const inBash = `
. ./pond.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pond
printf '%s\\n' "\${COMPREPLY[@]}"
`;

describe.skipIf(!isThere.get("bash"))("completion in bash", again, () => {
  const replies = async (...words: readonly string[]): Promise<string[]> =>
    (await shellRun("bash", "--norc", "-c", inBash, "bash", "pond", ...words)).split("\n");

  it.each([
    [["get", ""], ["bbbb0000", "aaaa0000"], "ids"],
    [["get", "--mode", "=", "verb"], ["verbatim"], "what is behind ="],
    [["--namespace", "default", "get", '"bbb'], ["bbbb0000"], "what is in quotes"],
    [["list", "--project", "/work/b"], ["/work/b"], "a project"],
    [["list", "--project", "$(touch canary)"], [""], "nothing for a command"],
  ])("completes %j: %s", async (words, expected) => {
    const found = (await replies(...words)).slice(0, expected.length);

    expect(found.sort()).toEqual([...expected].sort());
    expect(canary()).toBe(false);
  });

  it.each([
    ["", "/work/$"],
    ["'", "'/work/"],
  ])("quotes hostile text so that bash takes it literally, after %j", async (quote, typed) => {
    const [reply = ""] = await replies("list", "--project", typed.replace("$", "\\$"));

    expect(reply).toContain("canary");
    expect(canary()).toBe(false);
    const typedOut = `printf %s ${quote}${reply}${quote}`;
    expect(await shellRun("bash", "--norc", "-c", typedOut)).toBe(project);
    expect(canary()).toBe(false);
  });
});

// Types into a zsh as a person does. Ctrl-X prints the line as it is by then.
const inZsh = `
zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist 'PS1=; stty -echo; autoload -Uz compinit; compinit -u -D; . ./pond.zsh; dump() { print -r -- "LINE<$BUFFER>END" }; zle -N dump; bindkey "^X" dump; print READY"Y"'
zpty -r typist out '*READYY*'
for typed in "$@"; do
  zpty -w -n typist "$typed"$'\\t\\x18'
  zpty -r typist out '*LINE<*>END*'
  print -r -- "$out"
  zpty -w -n typist $'\\x15'
done
zpty -d typist
`;

describe.skipIf(!isThere.get("zsh"))("completion in zsh", again, () => {
  const typed = async (...lines: readonly string[]): Promise<string> =>
    shellRun("zsh", "-f", "-c", inZsh, "zsh", ...lines);
  const lineOf = (out: string): string => /LINE<(.*)>END/.exec(out)?.[1] ?? "";

  it.each([
    ["pond stat", "pond status "],
    ["pond get bb", "pond get bbbb0000 "],
    ["pond get --mode=verb", "pond get --mode=verbatim "],
    ["pond import an", "pond import an\\ archive.pond "],
    ["pond restore x --out=a", "pond restore x --out=a\\ folder/"],
    ['pond list --project "/work/b', 'pond list --project "/work/b" '],
  ])("completes %s", async (text, expected) => {
    expect(lineOf(await typed(text))).toBe(expected);
  });

  it("lists values without descriptions on their own, in their order", async () => {
    const listing = await typed("pond sync --only ");

    expect(listing).toMatch(/import +embed +update-indexes(?! +--)/);
  });

  it("shows hostile text literally, and quotes it so that zsh takes it literally", async () => {
    const listing = await typed("pond get ");
    const completed = lineOf(await typed("pond list --project /work/\\$"));

    expect(listing).toContain("$(touch canary)`touch canary`");
    expect(listing).toContain("%F{red}%(?.a.b)");
    expect(completed).toContain("canary");
    expect(canary()).toBe(false);
    const out = await shellRun("zsh", "-f", "-c", completed.replace(/^pond/, "print -rn --"));
    expect(out).toBe(`list --project ${project}`);
    expect(canary()).toBe(false);
  });
});

describe.skipIf(!isThere.get("fish"))("completion in fish", again, () => {
  const complete = async (text: string): Promise<string[]> => {
    const script = ". ./pond.fish; complete -C $argv[1]";
    return (await shellRun("fish", "--no-config", "-c", script, text)).split("\n").slice(0, -1);
  };

  it.each([
    ["pond stat", ["status\tshow what is stored, how well it is indexed, and what needs doing"]],
    ["pond get bb", [expect.stringMatching(/^bbbb0000\t2026-11-20 b: no harm$/)]],
    ["pond get --mode=verb", ["--mode=verbatim"]],
    ["pond restore x --out=a", [expect.stringMatching(/^--out=a folder\//)]],
    ["pond import an", ["an archive.pond"]],
    ['pond list --project "/work/b', [expect.stringMatching(/^\/work\/b\t1 session/)]],
  ])("completes %s", async (text, expected) => {
    expect(await complete(text)).toEqual(expected);
  });

  it("does not evaluate hostile text", async () => {
    const [session] = await complete("pond get aa");
    const projects = await complete("pond list --project ");

    expect(session).toContain(`aaaa0000\t2026-11-20`);
    expect(session).toContain("$(touch canary)`touch canary`");
    expect(projects.map((each) => each.split("\t")[0])).toContain(project);
    expect(canary()).toBe(false);
  });
});

it.each([true, false])(
  "pond completions says how to install the script only on a terminal: %s",
  async (isTerminal) => {
    const { stdout, stderr } = await home.pondWith({ isTerminal }, "completions", "fish");

    expect(stdout).toBe(completionScript("fish"));
    expect(stderr).toBe(isTerminal ? `To install it: ${howToInstall.fish}\n` : "");
  },
);
