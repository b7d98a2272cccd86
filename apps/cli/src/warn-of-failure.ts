import type { Output } from "./output/output.ts";
import { safe, safeLine, safeText } from "./output/safe-text.ts";

/**
 * Tells the operator of a server what went wrong in it. The error's message may quote a session,
 * and logs are kept and passed on. So this says which error it was, which of the system's own
 * caused it, and with `-v` where it came from. A file that could not be written is pond's own, and
 * is named.
 */
export function warnOfFailure(output: Output, what: string, error: unknown): void {
  const { name, stack = "", cause } = error instanceof Error ? error : { name: typeof error };
  const codes = [error, cause].flatMap((each) =>
    each instanceof Error && "code" in each ? [String(each.code)] : [],
  );
  const named = codes.length > 0 ? `${name} (${codes.join(", ")})` : name;
  const isOfFile = codes[0] === "target_unwritable" && error instanceof Error;
  const which = isOfFile ? error.message : named;
  output.warn(safe`${safeLine(what)}: ${safeLine(which)}`);
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  if (output.isVerbose) output.note(safeText(frames.join("\n")));
}
