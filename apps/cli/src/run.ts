import { type Command, CommanderError } from "commander";
import {
  type Context,
  createContext,
  createOutput,
  processRuntime,
  type Runtime,
} from "./context.ts";
import { UsageError } from "./errors.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { safeText } from "./output/safe-text.ts";
import { createProgram } from "./program.ts";
import { reportError, toWireError } from "./report-error.ts";
import type { GlobalFlags } from "./settings.ts";
import { shellLine } from "./shell-words.ts";

/** Runs a command's action with its context; commands are defined with one of these. */
export type RunAction = (
  command: Command,
  action: (context: Context) => Promise<ExitCode>,
) => Promise<void>;

/** Runs one command line and returns the exit code of the process. */
export async function run(
  argv: readonly string[],
  runtime: Runtime = processRuntime(),
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const act: RunAction = async (command, action) => {
    const flags: GlobalFlags = command.optsWithGlobals();
    const output = createOutput(flags, runtime);
    try {
      exitCode = await action(await createContext(flags, output, runtime));
    } catch (error) {
      exitCode = reportError(error, output);
    }
  };
  const program = createProgram(act, runtime);
  // What completion scripts start. It is not a command, because it must not even fail as one.
  if (argv[0] === "complete" && argv.includes("--")) {
    const { complete } = await import("./completions/complete.ts");
    await complete(program, argv.slice(1), runtime);
    runtime.leave?.();
    return exitCodes.done;
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    return reportBadUsage(error, program, argv, runtime);
  }
}

/** Commander has already said on stderr what is wrong, unless it printed a help text. */
function reportBadUsage(
  error: unknown,
  program: Command,
  argv: readonly string[],
  runtime: Runtime,
): ExitCode {
  const operands = program.args;
  const output = createOutput({ json: argv.includes("--json") }, runtime);
  if (!(error instanceof CommanderError)) return reportError(error, output);
  if (error.exitCode === 0) return exitCodes.done;
  const isHelp = error.code === "commander.help";
  const message = isHelp ? helpReason(operands) : error.message.replace(/^error: /, "");
  if (isHelp && operands.includes("help")) output.error(safeText(message));
  const excluded = error.code === "commander.unknownOption" && excludedWord(program, argv);
  if (excluded) output.note(safeText(excluded));
  if (output.isJson) {
    const { code, details } = new UsageError(message, { problem: error.code });
    output.jsonText(JSON.stringify({ error: toWireError({ code, message, details }) }));
  }
  return exitCodes.badUsage;
}

/** How to exclude a word from a search, if it was taken for an option. */
function excludedWord(program: Command, argv: readonly string[]): string | undefined {
  const [name] = program.args;
  const words = program.commands.find((each) => name === "search" && each.name() === name)?.args;
  const excluded = words?.find((word) => /^-[^-]/.test(word));
  // Nobody has typed what was split into short options, as `-quick` is.
  if (words === undefined || excluded === undefined || !argv.includes(excluded)) return undefined;
  return `\`${shellLine(["pond", "search", "--", ...words])}\` leaves out "${excluded.slice(1)}".`;
}

/** Why help was printed that nobody asked for. */
function helpReason(operands: readonly string[]): string {
  const [unknown] = operands.includes("help") ? operands.slice(operands.indexOf("help") + 1) : [];
  const problem = unknown === undefined ? "name a command" : `there is no command '${unknown}'`;
  return `${problem}; see \`pond --help\``;
}
