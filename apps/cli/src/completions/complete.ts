import type { Command } from "commander";
import { type Shell, shells } from "../completion-scripts.ts";
import type { Runtime } from "../context.ts";
import { completionsFor } from "./candidates.ts";
import { completionRequestOf } from "./completion-request.ts";
import { replyFor } from "./reply.ts";
import { parseTypedWords } from "./typed-words.ts";

/**
 * Prints what the word under the cursor can be; see {@link replyFor}. If anything goes wrong, it
 * prints nothing: somebody is in the middle of typing.
 *
 * @param argv - The shell, for bash its word breaks, `--`, and the words after the command's name
 * up to the cursor.
 */
export async function complete(
  program: Command,
  argv: readonly string[],
  runtime: Pick<Runtime, "stdout" | "env" | "home">,
): Promise<void> {
  const reply = await replyTo(program, argv, runtime).catch(() => "");
  if (reply !== "") runtime.stdout.write(reply);
}

async function replyTo(
  program: Command,
  argv: readonly string[],
  environment: Pick<Runtime, "env" | "home">,
): Promise<string> {
  const end = argv.indexOf("--");
  const shell = shells.find((each) => each === argv[0]);
  if (end < 1 || shell === undefined) return "";
  const breaks = argv.slice(1, end).join("");
  const typed = parseTypedWords(shell, argv.slice(end + 1), breaks);
  const request = typed && completionRequestOf(program, typed.words, typed.current.text);
  if (!request) return "";
  const completions = await completionsFor(request, environment, {
    isDescribed: showsDescriptions(shell),
  });
  return replyFor(shell, completions, request, typed.current);
}

function showsDescriptions(shell: Shell): boolean {
  return shell !== "bash";
}
