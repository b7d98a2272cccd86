import { type Command, CommanderError } from "commander";
import { type Context, createContext, createOutput, type Surface } from "./context.ts";
import { UsageError } from "./errors.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { createProgram } from "./program.ts";
import { reportError, toWireError } from "./report-error.ts";
import type { GlobalFlags } from "./settings.ts";

/** Runs a command's action with its context; commands are defined with one of these. */
export type RunAction = (
  command: Command,
  action: (context: Context) => Promise<ExitCode>,
) => Promise<void>;

/** Runs one command line and returns what the process should end with. */
export async function run(argv: readonly string[], surface: Surface): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const act: RunAction = async (command, action) => {
    const flags: GlobalFlags = command.optsWithGlobals();
    const output = createOutput(flags, surface);
    try {
      exitCode = await action(await createContext(flags, output, surface));
    } catch (error) {
      exitCode = reportError(error, output);
    }
  };
  const program = createProgram(act, surface);
  // What completion scripts start. No command, because it must not even fail as one.
  if (argv[0] === "complete" && argv.includes("--")) {
    const { complete } = await import("./completions/complete.ts");
    await complete(program, argv.slice(1), surface);
    surface.leave?.();
    return exitCodes.done;
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    return reportBadUsage(error, argv, surface);
  }
}

/** Commander has said what is wrong on stderr already. */
function reportBadUsage(error: unknown, argv: readonly string[], surface: Surface): ExitCode {
  const output = createOutput({ json: argv.includes("--json") }, surface);
  if (!(error instanceof CommanderError)) return reportError(error, output);
  if (error.exitCode === 0) return exitCodes.done;
  if (output.isJson) {
    const message = error.message.replace(/^error: /, "");
    const { code, details } = new UsageError(message, { problem: error.code });
    output.jsonText(JSON.stringify({ error: toWireError({ code, message, details }) }));
  }
  return exitCodes.badUsage;
}
