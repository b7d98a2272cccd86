import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addClients, addHardSessions, createHome, type Home, hardSession } from "./home.ts";
import {
  brokenLines,
  type Cells,
  linesWithOpenStyle,
  nonAsciiIn,
  shiftedRows,
  strayControls,
  tablesOf,
  widestDrawn,
} from "./rules.ts";
import { mark, programOnPath, type Recording, rows, Terminals, tmux } from "./terminal.ts";

const less = programOnPath("less");
if (less === undefined) console.warn("skipped: less, a pager, is not on the PATH");
if (tmux === undefined)
  console.warn("skipped: tmux 3.2 or later, which records a terminal, is not on the PATH");

const hostileSession = hardSession(6);
/** A sample that is longer than a screen. */
const longSession = "019d9a10-5e00-7000-8000-0000000000a1";

type Case = {
  readonly name: string;
  readonly argv: readonly string[];
  /** The number of tables that it prints. */
  readonly tables: number;
  /** True if it draws over its own output. */
  readonly isLive?: boolean;
  /** Lines that are printed whole, however wide: they are to be copied, or are somebody's words. */
  readonly isWhole?: (line: string) => boolean;
  /** A text that has to be on the screen. */
  readonly says: RegExp;
};

const cases: readonly Case[] = [
  {
    ...{ name: "init", argv: ["init", "--dry-run"], tables: 1, isLive: true },
    // Text of a file, and a command.
    isWhole: (line) => /^ {2}[+-]/.test(line),
    says: /Schedule: /,
  },
  { name: "sync", argv: ["sync"], tables: 0, isLive: true, says: /nothing new/ },
  { name: "search", argv: ["search", "heron"], tables: 0, says: /7 sessions found/ },
  { name: "list", argv: ["list"], tables: 1, says: /15 sessions\./ },
  { name: "status", argv: ["status"], tables: 3, isLive: true, says: /15 sessions|19 sessions/ },
  {
    ...{ name: "get", argv: ["get", hostileSession], tables: 0 },
    isWhole: (line) => line.includes("[31mred"),
    says: /Heard:/,
  },
  {
    ...{ name: "resume", argv: ["resume", hostileSession], tables: 0, isLive: true },
    // A command, and a path that is longer than a line.
    isWhole: (line) => line.startsWith("cd ") || /^~\/\S+$/.test(line),
    says: /claude --resume/,
  },
];

/** Each way to have no colours, and the columns it is tried at. */
const ways: readonly (readonly [
  columns: number,
  way: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[],
])[] = [
  [60, "in colour", {}, []],
  [80, "in colour", {}, []],
  [200, "in colour", {}, []],
  [60, "with NO_COLOR", { NO_COLOR: "1" }, []],
  [80, "with --no-color", {}, ["--no-color"]],
  [200, "on a dumb terminal", { TERM: "dumb" }, []],
];

describe.skipIf(tmux === undefined)("pond's output on a terminal", () => {
  let home: Home;
  let terminals: Terminals;
  let first: Recording;
  let cells: Cells;
  const recordings = new Map<string, Recording>();
  const keyOf = (...parts: readonly (string | number)[]): string => parts.join(" ");
  const recorded = (...parts: readonly (string | number)[]): Recording => {
    const recording = recordings.get(keyOf(...parts));
    if (recording === undefined) throw new Error("was not recorded");
    return recording;
  };

  beforeAll(async () => {
    home = createHome();
    addClients(home);
    addHardSessions(home);
    terminals = new Terminals(tmux ?? "", home.env);
    first = await terminals.record(60, ["pond", "sync"]);
    // Two at a time, one for each core.
    await Promise.all(
      [ways.slice(0, 3), ways.slice(3)].map(async (some) => {
        for (const [columns, way, env, flags] of some) {
          for (const { name, argv } of cases) {
            const recording = await terminals.record(columns, ["pond", ...flags, ...argv], env);
            recordings.set(keyOf(columns, way, name), recording);
          }
        }
      }),
    );
    cells = await terminals.cellsOf(nonAsciiIn([first, ...recordings.values()]));
  }, 400_000);
  afterAll(() => {
    terminals?.close();
    home?.remove();
  });

  describe.each(ways)("at %i columns, %s", (columns, way) => {
    const isColored = way === "in colour";
    const isDumb = way === "on a dumb terminal";

    it.each(cases)("keeps $name within the width of the screen", ({ name, isWhole, says }) => {
      const recording = recorded(columns, way, name);

      expect(recording.code).toBe(0);
      expect(recording.whole.join("\n")).toMatch(says);
      const broken = brokenLines(recording).filter((line) => !isWhole?.(line));
      expect(broken).toEqual([]);
    });

    it.each(cases.filter(({ tables }) => tables > 0))("aligns the columns of $name", (each) => {
      const { lines } = recorded(columns, way, each.name);
      const tables = tablesOf(lines);

      expect(tables).toHaveLength(each.tables);
      expect(tables.flatMap((table) => shiftedRows(table, cells))).toEqual([]);
    });

    it.each(cases)(
      "leaves the terminal in its former state after $name",
      ({ name, isLive = false }) => {
        const recording = recorded(columns, way, name);
        const { isCursorVisible, isOtherScreen, title, lines, painted } = recording;

        expect({ isCursorVisible, isOtherScreen }).toEqual({
          ...{ isCursorVisible: true, isOtherScreen: false },
        });
        expect(title).not.toContain("taken");
        // It is plain, on its own line.
        expect(lines.at(-1)).toBe(mark);
        expect(linesWithOpenStyle(recording)).toEqual([]);
        expect(painted.join("").includes("\x1b")).toBe(isColored);
        const toBeCopied = painted.filter((line) => line.includes("--resume"));
        expect(toBeCopied.join("")).not.toContain("\x1b");
        expect(strayControls(recording, { isColored, isLive: isLive && !isDumb })).toEqual([]);
        expect(lines.filter((line) => /[█░]|looking:|indexing|counting/.test(line))).toEqual([]);
      },
    );
  });

  it.skipIf(less === undefined)(
    "shows a long session in the pager, and leaves its text on the screen",
    async () => {
      symlinkSync(less ?? "", join(home.folder, "bin", "less"));

      const running = await terminals.start(80, ["pond", "get", longSession, "--mode", "complete"]);
      await running.see("\n:");
      const lines = await running.screen();
      await running.press("q");
      const recording = await running.ended();

      expect(lines[0]).toMatch(new RegExp(`^Session ${longSession}`));
      expect(lines.length).toBe(rows);
      expect(recording.code).toBe(0);
      expect([recording.isCursorVisible, recording.isOtherScreen]).toEqual([true, false]);
      // The text that was read stays on the screen.
      expect(recording.lines[0]).toBe(lines[0]);
      expect(recording.lines.at(-1)).toBe(mark);
      expect(linesWithOpenStyle(recording)).toEqual([]);
    },
  );

  it("draws the progress of a sync within the width of the screen, and removes it at the end", () => {
    const { bytes, lines } = first;

    expect(bytes).toMatch(/claude-code.*[█░]/);
    expect(widestDrawn(first, cells)).toBeLessThanOrEqual(60);
    expect(strayControls(first, { isColored: true, isLive: true })).toEqual([]);
    expect(lines[0]).toMatch(/^claude-code {2}\d+ sessions: \d+ new/);
  });
});
