import type { Output } from "./output/output.ts";
import { say, shown, shownLine } from "./output/shown.ts";

/**
 * Tells the operator of a server what went wrong in it. The error's message may quote a session,
 * and logs are kept and passed on. So this says which error it was, which of the system's own
 * caused it, and with `-v` where it came from. A file that could not be written is pond's own, and
 * is named.
 */
export function tellFailure(output: Output, what: string, error: unknown): void {
  const { name, stack = "", cause } = error instanceof Error ? error : { name: typeof error };
  const codes = [error, cause].flatMap((each) =>
    each instanceof Error && "code" in each ? [String(each.code)] : [],
  );
  const named = codes.length > 0 ? `${name} (${codes.join(", ")})` : name;
  const isOfFile = codes[0] === "target_unwritable" && error instanceof Error;
  const which = isOfFile ? error.message : named;
  output.warn(say`${shownLine(what)}: ${shownLine(which)}`);
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  if (output.isVerbose) output.note(shown(frames.join("\n")));
}
