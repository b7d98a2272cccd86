import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addClients, createHome, type Home } from "./home.ts";
import { brokenLines, linesWithOpenStyle, strayControls } from "./rules.ts";
import { mark, type Recording, type Running, Terminals, tmux } from "./terminal.ts";

if (tmux === undefined)
  console.warn("skipped: tmux 3.2 or later, which records a terminal, is not on the PATH");

const questions = [
  "Which clients?",
  "search what pond",
  "Sync every hour",
  "Store the sessions now?",
];

describe.skipIf(tmux === undefined)("pond init at a terminal", () => {
  let home: Home;
  let terminals: Terminals;
  beforeEach(() => {
    home = createHome();
    addClients(home);
    home.write(".claude.json", '{"mcpServers":{}}');
    home.write(".codex/config.toml", "# mine\n");
    home.write(".omp/agent/mcp.json", '{ "mcpServers": {} }\n');
    terminals = new Terminals(tmux ?? "", home.env);
  });
  afterEach(() => {
    terminals.close();
    home.remove();
  });

  /** Answers one question after the other. */
  async function answer(running: Running, answers: readonly string[]): Promise<void> {
    for (const [at, each] of answers.entries()) {
      await running.see(questions[at] ?? "");
      if (each !== "") await running.press(each);
      await running.press("Enter");
    }
  }

  /** The files of the clients and of pond, except stored sessions and copies. */
  function settings(): Record<string, string> {
    const files = readdirSync(home.folder, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      files.flatMap((file) => {
        const path = join(file.parentPath, file.name);
        const isLeft = !file.isFile() || /\.bak-|\.local\/share\/pond\//.test(path);
        const bytes = isLeft ? undefined : readFileSync(path);
        return bytes ? [[path, createHash("sha256").update(bytes).digest("hex")]] : [];
      }),
    );
  }

  /** Text of files, and commands, are printed whole. */
  const isWhole = (line: string): boolean => /^ {2}[+-]/.test(line);

  function expectTidy(recording: Recording): void {
    expect(recording.lines.at(-1)).toBe(mark);
    expect(recording.isCursorVisible).toBe(true);
    expect(brokenLines(recording).filter((line) => !isWhole(line))).toEqual([]);
    expect(linesWithOpenStyle(recording)).toEqual([]);
    expect(strayControls(recording, { isColored: true, isLive: true })).toEqual([]);
  }

  it("does what the typed answers say", async () => {
    const running = await terminals.start(60, ["pond", "init"]);
    await answer(running, ["2,4", "y", "n", ""]);
    const recording = await running.ended();
    const screen = recording.lines.join("\n");

    expect(recording.code).toBe(0);
    expectTidy(recording);
    expect(screen).toContain('Which clients? Numbers, "all" or "none" [1,2,3,4,5] 2,4\n');
    expect(screen).toContain("Let codex search what pond stores? [Y/n] y\n  codex: registered\n");
    expect(screen).toMatch(/\ncodex {2}2 sessions: 2 new, .*\npi {5}1 session: 1 new, /);
    expect(screen).toContain("\nTake all this back: pond init --undo\n");
    expect(existsSync(join(home.folder, ".config/systemd"))).toBe(false);
  });

  it("asks again after an invalid answer", async () => {
    const running = await terminals.start(60, ["pond", "init"]);
    await running.see("Which clients?");
    await running.press("7", "Enter");
    await running.see("Please answer with numbers from 1 to 5");
    await running.press("none", "Enter");
    const recording = await running.ended();

    expect(recording.code).toBe(0);
    expectTidy(recording);
    expect(recording.lines.at(-2)).toBe("Nothing was chosen, and nothing was changed.");
  });

  it.each([
    ["C-c", 0],
    ["C-c", 1],
    ["C-c", 2],
    ["C-c", 3],
    ["C-d", 3],
  ])(
    "stopped with %s after %i answers, says what stays, and --undo takes it back",
    async (key, count) => {
      const before = settings();
      const running = await terminals.start(60, ["pond", "init"]);
      await answer(running, ["1,2,3", "", ""].slice(0, count));
      await running.see(questions[count] ?? "");
      await running.press(key);
      const recording = await running.ended();
      const said = recording.lines.slice(-3, -1).join(" ");
      const undone = await terminals.record(60, ["pond", "init", "--undo"]);

      expect(recording.code).toBe(130);
      expectTidy(recording);
      expect(said).toMatch(
        count === 0
          ? /Stopped\. Nothing was changed\.$/
          : /^Stopped\. What was done so far stays: `pond init` continues .* `pond init --undo` undoes it\.$/,
      );
      expect(undone.code).toBe(0);
      expectTidy(undone);
      expect(settings()).toEqual(before);
    },
  );

  it("names the file, the line and the remedy when a client's settings are damaged", async () => {
    home.write(".codex/config.toml", "# mine\na = = b\n");
    home.write(".omp/agent/mcp.json", '{\n  "mcpServers": }\n');

    const recording = await terminals.record(60, ["pond", "init", "--yes", "--no-sync"]);
    const said = recording.lines.join(" ");

    expect(recording.code).toBe(3);
    expectTidy(recording);
    for (const place of [
      ".codex/config.toml is not TOML (line 2)",
      "mcp.json is not JSON (line 2)",
    ])
      expect(said.replaceAll(/\s/g, "")).toContain(place.replaceAll(" ", ""));
    expect(said).toMatch(/put that right, and run `pond init` again/);
    expect(said).toContain("opencode: registered");
  });
});
