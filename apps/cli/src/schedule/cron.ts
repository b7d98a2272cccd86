import { UsageError } from "../errors.ts";
import { type ProgramResult, runProgram } from "../run-program.ts";
import { cronTime, intervals } from "./interval.ts";
import { cronWord, refuseControls } from "./quoting.ts";
import {
  failure,
  failureText,
  type Job,
  type Machine,
  mustRun,
  namesStore,
  type Scheduler,
} from "./scheduler.ts";

/** Ends the one line that is pond's; to the shell it is a comment. */
const lineMark = " # pond schedule";
/** Vixie cron takes no longer command. */
const maxLineBytes = 990;
const listCommand = ["crontab", "-l"];

/** The user's crontab. Lines of others are kept byte for byte. */
export function createCron(machine: Machine): Scheduler {
  const whyUnusable = async (): Promise<string | undefined> => {
    const result = await runProgram(machine, listCommand);
    const isReadable = result.code === 0 || isEmptyTable(result);
    return isReadable ? undefined : failureText(listCommand, result);
  };
  const isUsable = async (): Promise<boolean> => (await whyUnusable()) === undefined;
  return {
    kind: "cron",
    whyUnusable,
    installed: async () => {
      const line = (await isUsable()) ? (await readTable(machine)).find(isOwn) : undefined;
      if (line === undefined) return undefined;
      const every = intervals.find((each) => line.startsWith(`${cronTime(each)} `)) ?? null;
      return { every, places: ["crontab"], namesStore: namesStore(line) };
    },
    has: async (job) => isOnlyOwnLine(await readTable(machine), toLatin1(lineOf(job))),
    start: async (job) => {
      const line = toLatin1(lineOf(job));
      const lines = await readTable(machine);
      if (isOnlyOwnLine(lines, line)) return false;
      const others = lines.filter((each) => !isOwn(each));
      await writeTable(machine, [...withLineEnds(others), line]);
      return true;
    },
    stop: async () => {
      if (!(await isUsable())) return false;
      const lines = await readTable(machine);
      const others = lines.filter((each) => !isOwn(each));
      if (others.length === lines.length) return false;
      if (others.length === 0) await mustRun(machine, ["crontab", "-r"]);
      else await writeTable(machine, others);
      return true;
    },
    // It does not tell.
    next: async () => undefined,
  };
}

function lineOf({ every, command, env, log }: Job): string {
  refuseControls([...command, ...Object.values(env), log]);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${cronWord(value)}`);
  const words = [...variables, ...command.map(cronWord)].join(" ");
  const line = `${cronTime(every)} ${words} >${cronWord(log)} 2>&1${lineMark}\n`;
  if (Buffer.byteLength(line) > maxLineBytes) {
    throw new UsageError("the line for cron would be too long: name shorter folders");
  }
  return line;
}

/** Lines with their ends, each byte as a character, because a table need not be UTF-8. */
async function readTable(machine: Machine): Promise<string[]> {
  const result = await runProgram(machine, listCommand);
  if (result.code === 0) return result.stdout.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (isEmptyTable(result)) return [];
  // A table that could not be read must never be taken for an empty one.
  throw failure(listCommand, result);
}

function isEmptyTable({ code, stderr }: ProgramResult): boolean {
  // The messages of Vixie's and cronie's, and of busybox's.
  return code === 1 && /no crontab for|can't open .*No such file/i.test(stderr);
}

async function writeTable(machine: Machine, lines: readonly string[]): Promise<void> {
  await mustRun(machine, ["crontab", "-"], Buffer.from(lines.join(""), "latin1"));
}

function toLatin1(line: string): string {
  return Buffer.from(line).toString("latin1");
}

/** True if this line is pond's only line in the table. */
function isOnlyOwnLine(lines: readonly string[], line: string): boolean {
  return lines.filter(isOwn).length === 1 && lines.includes(line);
}

function isOwn(line: string): boolean {
  return line.trimEnd().endsWith(lineMark);
}

/** The last line of a table that somebody else wrote may lack its line end. */
function withLineEnds(lines: readonly string[]): string[] {
  return lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`));
}
