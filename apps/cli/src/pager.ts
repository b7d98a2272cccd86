import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Context } from "./context.ts";
import type { Output } from "./output/output.ts";
import { type SafeText, safe, safeLine } from "./output/safe-text.ts";
import { widthOf } from "./output/width.ts";

/** Resolves when everything written so far was taken; false if nobody reads any more. */
export type WaitForReader = () => Promise<boolean>;

/**
 * Runs `show` with an output that a person pages through, as in a manual, if they are at a terminal
 * and there is more than fits it. The pager gets the text and nothing else: no command line holds
 * any of it. If the pager cannot be started, `show` runs again, without one.
 *
 * @param show - Asks between the pages it reads whether to go on, so that no more than one is held.
 */
export async function withPager(
  { output, env }: Pick<Context, "output" | "env">,
  isWanted: boolean,
  show: (output: Output, waitForReader: WaitForReader) => Promise<void>,
): Promise<void> {
  const command = isWanted ? pagerOf(output, env) : undefined;
  if (command !== undefined) {
    const pager = new Pager(command, output, env);
    let end: PagerEnd | undefined;
    try {
      await show(
        output.onto((text) => pager.write(text)),
        () => pager.waitForReader(),
      );
    } finally {
      end = await pager.finish();
    }
    if (end === "stopped") throw new DOMException("the pager was stopped", "AbortError");
    if (end === "done") return;
    if (!command.isOurs) {
      output.warn(
        safe`the pager ${safeLine(command.line)} cannot be started: see POND_PAGER and PAGER`,
      );
    }
  }
  await show(output, async () => true);
}

type PagerCommand = { readonly line: string; readonly isOurs: boolean };
type PagerEnd = "done" | "missing" | "stopped";

function pagerOf({ isTerminal, isJson }: Output, env: Context["env"]): PagerCommand | undefined {
  const terminal = env["TERM"] ?? "dumb";
  if (!isTerminal || isJson || terminal === "dumb") return undefined;
  const named = (env["POND_PAGER"] ?? env["PAGER"])?.trim();
  if (named === "" || named === "cat") return undefined;
  return { line: named ?? "less", isOurs: named === undefined };
}

class Pager {
  readonly #command: PagerCommand;
  readonly #output: Output;
  readonly #env: Context["env"];
  /** The text so far, as long as it still fits the screen. */
  #head = safe``;
  #child: ChildProcessByStdio<Writable, null, null> | undefined;
  #ended: Promise<PagerEnd> = Promise.resolve("done");
  #isGone = false;

  constructor(command: PagerCommand, output: Output, env: Context["env"]) {
    this.#command = command;
    this.#output = output;
    this.#env = env;
  }

  write(text: SafeText): void {
    if (this.#isGone) return;
    if (this.#child) {
      this.#child.stdin.write(text);
      return;
    }
    this.#head = safe`${this.#head}${text}`;
    if (isLonger(this.#head, this.#output)) this.#start();
  }

  async waitForReader(): Promise<boolean> {
    const stdin = this.#child?.stdin;
    if (stdin?.writableNeedDrain && !this.#isGone) {
      const drained = new Promise((resolve) => {
        stdin.once("drain", resolve);
        stdin.once("close", resolve);
      });
      await Promise.race([drained, this.#ended]);
    }
    return !this.#isGone;
  }

  /** Waits until the person has finished. */
  async finish(): Promise<PagerEnd> {
    if (this.#child === undefined) {
      this.#output.text(this.#head);
      return "done";
    }
    this.#child.stdin.end();
    const end = await this.#ended;
    process.off("SIGINT", ignoreInterrupt);
    return end;
  }

  #start(): void {
    const { line, isOurs } = this.#command;
    const [program, ...words] = needsShell.test(line) ? ["sh", "-c", line] : line.split(/\s+/);
    const child = spawn(program ?? "", words, {
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...defaultsOf(isOurs), ...this.#env },
    });
    const markGone = (): void => {
      this.#isGone = true;
    };
    // Somebody who quits early has read enough.
    child.stdin.on("error", markGone);
    this.#ended = new Promise((resolve) => {
      child.on("error", () => resolve("missing"));
      child.on("exit", (code, signal) => resolve(endOf(code, signal)));
    });
    void this.#ended.then(markGone);
    // Ctrl-C reaches both, and in `less` it ends a search, not the reading.
    process.on("SIGINT", ignoreInterrupt);
    this.#child = child;
    child.stdin.write(this.#head);
    this.#head = safe``;
  }
}

// The same test that git uses: any character on which a shell would act.
const needsShell = /[|&;<>()$`\\"'*?[#~=%\n]/;

/** Environment of the pager where the user's own says nothing. */
function defaultsOf(isOurs: boolean): Readonly<Record<string, string>> {
  // Quits by itself below a screenful, passes colours, and leaves the text there afterwards.
  const defaults = { LESS: "FRX", LV: "-c" };
  // Sessions are no place to start shells and editors from; a user who chose `less` may want to.
  return isOurs ? { ...defaults, LESSSECURE: "1" } : defaults;
}

function endOf(code: number | null, signal: NodeJS.Signals | null): PagerEnd {
  // The codes of a shell for a program that cannot be run, and for one that is missing.
  if (code === 126 || code === 127) return "missing";
  return signal === "SIGINT" || code === 130 ? "stopped" : "done";
}

function ignoreInterrupt(): void {}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of our own styles
const styles = /\u001b\[[0-9;]*m/g;

/** Whether a text takes more lines than the terminal has, with one for the prompt. */
function isLonger(text: string, { width, height }: Output): boolean {
  const lines = text.split("\n");
  if (lines.length > height || text.length > 8 * width * height) return true;
  const rows = lines.map((line) => Math.ceil(widthOf(line.replaceAll(styles, "")) / width) || 1);
  return rows.reduce((sum, each) => sum + each, 0) > height;
}
