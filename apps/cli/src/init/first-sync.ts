import { sync } from "../commands/sync.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { Output } from "../output/output.ts";
import { printError, reportError } from "../report-error.ts";

/**
 * Runs a sync as `pond sync` does.
 *
 * @returns Its exit code and, with `--json`, what it would have printed: that becomes a part of the
 * one document.
 */
export async function firstSync(context: Context): Promise<[ExitCode, unknown]> {
  const { output, env } = context;
  if (!output.isJson) {
    output.line();
    return [await sync(context, [], {}).catch((error: unknown) => printError(error, output)), null];
  }
  let text = "";
  const stdout = {
    write: (piece: string) => {
      text += piece;
    },
  };
  const { stderr, isQuiet, isVerbose } = output;
  const modes = { isJson: true, isQuiet, isVerbose, isColorAllowed: false };
  const own = new Output({ stdout, stderr, env, ...modes });
  const exitCode = await sync({ ...context, output: own }, [], {}).catch((error: unknown) =>
    reportError(error, own),
  );
  return [exitCode, text === "" ? null : JSON.parse(text)];
}
