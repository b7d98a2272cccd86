import type { Environment } from "../directories.ts";
import { SchedulerError } from "../errors.ts";
import { notFoundCode, type ProgramResult, runProgram } from "../run-program.ts";
import type { Interval } from "./interval.ts";

/** What is to be started, and how often. */
export type Job = {
  readonly every: Interval;
  /** A program by its absolute path, and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where its output goes, if the scheduler does not keep it. */
  readonly log: string;
};

/** What is installed already, as pond wrote it. */
export type Installed = {
  readonly every: Interval | null;
  /** Where it is written: files, or the name of the table. */
  readonly places: readonly string[];
  /** True if it names a store itself instead of using the configuration. */
  readonly namesStore: boolean;
};

/** Something that starts programs at times. */
export type Scheduler = {
  readonly kind: "systemd" | "cron" | "launchd";
  /** Why it cannot be used here; undefined if it can. */
  readonly whyUnusable: () => Promise<string | undefined>;
  /** Undefined if nothing of pond's is installed. */
  readonly installed: () => Promise<Installed | undefined>;
  /** True if exactly this is installed already, whether it runs or not. */
  readonly has: (job: Job) => Promise<boolean>;
  /** @returns False if exactly this is installed already, and runs. */
  readonly start: (job: Job) => Promise<boolean>;
  /** Removes what `start` wrote and nothing else. @returns False if there was nothing. */
  readonly stop: () => Promise<boolean>;
  /** When it runs next; undefined if that is not known. */
  readonly next: () => Promise<Date | undefined>;
};

/** Marks every file that pond writes for a scheduler: only marked ones are changed and removed. */
export const mark = "Written by `pond schedule start`; `pond schedule stop` removes it.";

/** True for the text of a job that was given a store by flags. */
export function namesStore(text: string): boolean {
  return /--(?:storage|namespace)\b/.test(text);
}

/** What a scheduler may need from this machine; tests bring their own. */
export type Machine = {
  readonly env: Environment;
  readonly home: string;
};

/**
 * Runs a program of the PATH that has to succeed.
 *
 * @throws {SchedulerError}
 */
export async function mustRun(
  machine: Pick<Machine, "env">,
  command: readonly string[],
  input?: Buffer,
): Promise<Buffer> {
  const result = await runProgram(machine, command, input);
  if (result.code !== 0) throw failure(command, result);
  return result.stdout;
}

/** The error for a program that did not do what it should. */
export function failure(command: readonly string[], result: ProgramResult): SchedulerError {
  return new SchedulerError(failureText(command, result), { command, exit_code: result.code });
}

/** How a program ended, with the last of its output. */
export function failureText(command: readonly string[], { code, stderr }: ProgramResult): string {
  if (code === notFoundCode) return `there is no ${command[0]}`;
  const lastLines = stderr.trim().split("\n").slice(-3).join("; ");
  return `${command.join(" ")} ended with ${code}${lastLines && `: ${lastLines}`}`;
}
