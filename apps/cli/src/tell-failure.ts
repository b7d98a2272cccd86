import type { Output } from "./output/output.ts";
import { say, shown, shownLine } from "./output/shown.ts";

/**
 * Tells whoever runs a server what went wrong in it. Its message may quote a session, and logs are
 * kept and passed on, so it says which error it was, and of the system's own which caused it, and
 * with `-v` where it came from. What could not be written is a file of pond's own, and is named.
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
