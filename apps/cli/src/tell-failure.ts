import type { Output } from "./output/output.ts";
import { say, shown, shownLine } from "./output/shown.ts";

/**
 * Tells whoever runs a server what went wrong in it. Its message may quote a session, and logs are
 * kept and passed on, so it says which error it was, and with `-v` where it came from.
 */
export function tellFailure(output: Output, what: string, error: unknown): void {
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  output.warn(say`${shownLine(what)}: ${shownLine(`${name}${code}`)}`);
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  if (output.isVerbose) output.note(shown(frames.join("\n")));
}
