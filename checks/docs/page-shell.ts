import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

export type Ran = {
  /** The exit code of the command that failed last, if any did. */
  readonly code: number;
  readonly lines: readonly string[];
};

/** One bash for a whole page: folders, variables and jobs stay from block to block. */
export class PageShell {
  readonly #bash: ChildProcess;
  readonly #mark = randomUUID();
  #printed = "";
  #heard: () => void = () => undefined;
  #isOver = false;
  #code = 0;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    // A separate process group, so that jobs end with it.
    this.#bash = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env, detached: true });
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
        this.#heard();
      });
    }
    this.#bash.on("close", () => {
      this.#isOver = true;
      this.#heard();
    });
    this.#bash.stdin?.on("error", () => undefined);
    this.#bash.stdin?.write("exec 2>&1 9>&1\n");
  }

  /** Runs lines, none of which may fail. Lines after a failed one are run, too. */
  script(text: string): Promise<Ran> {
    return this.#evaluate(
      `failed=0; trap 'failed=$?' ERR; eval ${quoted(text)} </dev/null`,
      "$failed",
    );
  }

  /** Runs one command. `$?` is the status of the command before it. */
  async command(text: string): Promise<Ran> {
    const ran = await this.#evaluate(
      `trap - ERR; (exit ${this.#code}); eval ${quoted(text)} </dev/null`,
      "$?",
    );
    this.#code = ran.code;
    return ran;
  }

  close(): void {
    const { pid } = this.#bash;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      // No process of the group is left.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }

  async #evaluate(text: string, code: string): Promise<Ran> {
    this.#printed = "";
    this.#bash.stdin?.write(`${text}\nprintf '\\n%s %d\\n' ${this.#mark} "${code}"\n`);
    const end = new RegExp(`\\n${this.#mark} (\\d+)\\n`);
    for (;;) {
      const match = end.exec(this.#printed);
      if (match) {
        const text = this.#printed.slice(0, match.index).replace(/\n$/, "");
        return { code: Number(match[1]), lines: text === "" ? [] : text.split("\n") };
      }
      if (this.#isOver) throw new Error(`the shell ended: ${this.#printed}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
