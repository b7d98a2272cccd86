import { execFile, execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";

const run = promisify(execFile);
/** The height of each terminal, in lines. */
export const rows = 40;
/** More lines than any recording has. */
const history = 5_000;
const patience = { timeout: 30_000, interval: 20 };
/** Not too often, because each look at a screen starts a program. */
const patienceWithScreens = { timeout: 30_000, interval: 100 };

/** The path of a program; undefined if it is not on the PATH. */
export function programOnPath(name: string): string | undefined {
  const files = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => existsSync(file));
}

/** tmux, if it is installed and can tell the width of a text, which it can since 3.2. */
export const tmux: string | undefined = [programOnPath("tmux")].find((file) => {
  const said = file === undefined ? "" : spawnSync(file, ["-V"], { encoding: "utf8" }).stdout;
  const [, major, minor] = /^tmux (\d+)\.(\d+)/.exec(said) ?? [];
  return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 2);
});

/** What a command left on the screen, and how it ended. */
export type Recording = {
  readonly code: number;
  /** The lines as on the screen, from the first one to the mark after the last. */
  readonly lines: readonly string[];
  /** The same lines, with lines that the terminal broke joined again. */
  readonly whole: readonly string[];
  /** The same lines, with the codes of colours. */
  readonly painted: readonly string[];
  /** Every byte that the terminal received. */
  readonly bytes: string;
  readonly isCursorVisible: boolean;
  /** The title of the terminal's window. */
  readonly title: string;
  readonly isOtherScreen: boolean;
};

/** A command that runs. */
export type Running = {
  /** Waits until the screen shows a text. */
  see(text: string): Promise<void>;
  /** The visible lines. */
  screen(): Promise<readonly string[]>;
  /** Presses keys by tmux's names. Other texts are typed. */
  press(...keys: readonly string[]): Promise<void>;
  /** Waits for its end. */
  ended(): Promise<Recording>;
};

/** Printed after a command has ended, so that it shows where the cursor was. */
export const mark = "(end)";

/** What tmux is asked about a terminal whose command has ended. */
const state = "#{cursor_flag}\t#{alternate_on}\t#{pane_title}";
/** A line between two of its answers. */
const border = randomUUID();

/** Terminals of a separate tmux server, which ends with them. It sees no other tmux sessions. */
export class Terminals {
  readonly #folder = mkdtempSync(join(tmpdir(), "pond-tmux-"));
  readonly #script = join(this.#folder, "run.sh");
  readonly #tmux: string;
  readonly #env: Readonly<Record<string, string>>;
  #count = 0;

  constructor(program: string, env: Readonly<Record<string, string>>) {
    this.#tmux = program;
    // A separate socket in a separate folder, and UTF-8.
    this.#env = { ...env, TMUX_TMPDIR: this.#folder, LC_ALL: "C.UTF-8" };
    writeFileSync(
      this.#script,
      `trap : INT
name=$1; shift
${program} pipe-pane -t "$TMUX_PANE" "exec /bin/cat >'$name.bytes'"
"$@"
echo $? >"$name.code"
printf '${mark}'
${program} wait-for -S "$name"
read line
`,
    );
    chmodSync(this.#script, 0o755);
  }

  /** Starts a command line in a terminal of so many columns. */
  async start(
    columns: number,
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Running> {
    this.#count += 1;
    const name = join(this.#folder, String(this.#count));
    const size = ["-x", String(columns), "-y", String(rows)];
    // Set by env(1), because tmux has its own TERM.
    const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const words = ["/bin/sh", this.#script, name, "/usr/bin/env", ...variables, ...command];
    const pane = (
      await this.#ask(
        ...["start-server", ";", "set", "-g", "history-limit", String(history), ";"],
        // The server has to continue after its last terminal has ended.
        ...["set", "-g", "status", "off", ";", "set", "-g", "exit-empty", "off", ";"],
        ...["new-session", "-d", "-P", "-F", "#{pane_id}", ...size, ...words],
      )
    ).trim();
    const capture = (...flags: string[]) =>
      this.#ask("capture-pane", "-p", "-S", "-", "-t", pane, ...flags);
    return {
      see: (text) =>
        vi.waitFor(async () => {
          const screen = await capture("-J");
          if (!screen.includes(text)) throw new Error(`no ${JSON.stringify(text)} in\n${screen}`);
        }, patienceWithScreens),
      screen: async () => linesOf(await this.#ask("capture-pane", "-p", "-t", pane)),
      press: async (...keys) => {
        await this.#ask("send-keys", "-t", pane, ...keys);
      },
      ended: async () => {
        await this.#ask("wait-for", name);
        const bytes = await vi.waitFor(() => endedBytes(`${name}.bytes`), patience);
        const shown = ["capture-pane", "-p", "-S", "-", "-t", pane];
        const cut = ["display-message", "-p", border, ";"];
        const all = await this.#ask(
          ...[...shown, ";", ...cut, ...shown, "-J", ";", ...cut, ...shown, "-e", ";", ...cut],
          ...["display-message", "-p", "-t", pane, state, ";", "kill-session", "-t", pane],
        );
        const [plain = "", whole = "", painted = "", where = ""] = all.split(`${border}\n`);
        const [cursor, other, title = ""] = where.trimEnd().split("\t");
        return {
          code: Number(readFileSync(`${name}.code`, "utf8")),
          ...{ lines: linesOf(plain), whole: linesOf(whole), painted: linesOf(painted) },
          ...{ bytes, title, isCursorVisible: cursor === "1", isOtherScreen: other === "1" },
        };
      },
    };
  }

  /** Records a command line from its beginning to its end. */
  async record(
    columns: number,
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Recording> {
    return (await this.start(columns, command, env)).ended();
  }

  /** How many cells this terminal gives to each of some characters. */
  async cellsOf(characters: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const cells = new Map<string, number>();
    for (let at = 0; at < characters.length; at += 100) {
      const some = characters.slice(at, at + 100);
      const words = some.flatMap((each) => [
        ...["set", "-g", "@text", each, ";"],
        ...["display-message", "-p", "#{w:@text}", ";"],
      ]);
      const answers = (await this.#ask(...words)).trim().split("\n");
      for (const [index, each] of some.entries()) cells.set(each, Number(answers[index]));
    }
    return cells;
  }

  /** Ends the server and everything that runs in it. */
  close(): void {
    try {
      const words = ["-L", "pond-test", "kill-server"];
      execFileSync(this.#tmux, words, { env: this.#env, stdio: "ignore" });
    } catch {
      // No server was started.
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #ask(...words: readonly string[]): Promise<string> {
    const args = ["-L", "pond-test", "-f", "/dev/null", "-u", ...words];
    const { stdout } = await run(this.#tmux, args, { env: this.#env });
    return stdout;
  }
}

/** tmux passes on what it read with a delay. */
function endedBytes(file: string): string {
  const bytes = readFileSync(file, "utf8");
  if (!bytes.endsWith(mark)) throw new Error(`${file} has no end`);
  return bytes.slice(0, -mark.length);
}

function linesOf(screen: string): string[] {
  return screen.trimEnd().split("\n");
}
