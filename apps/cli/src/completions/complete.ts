import type { Command } from "commander";
import { type Shell, shells } from "../completion-scripts.ts";
import type { Surface } from "../context.ts";
import { whatIsAsked } from "./asked.ts";
import { offerFor } from "./candidates.ts";
import { replyFor } from "./reply.ts";
import { readTyped } from "./typed-words.ts";

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
  surface: Pick<Surface, "stdout" | "env" | "home">,
): Promise<void> {
  const reply = await replyTo(program, argv, surface).catch(() => "");
  if (reply !== "") surface.stdout.write(reply);
}

async function replyTo(
  program: Command,
  argv: readonly string[],
  surroundings: Pick<Surface, "env" | "home">,
): Promise<string> {
  const end = argv.indexOf("--");
  const shell = shells.find((each) => each === argv[0]);
  if (end < 1 || shell === undefined) return "";
  const breaks = argv.slice(1, end).join("");
  const typed = readTyped(shell, argv.slice(end + 1), breaks);
  const asked = typed && whatIsAsked(program, typed.words, typed.current.text);
  if (!asked) return "";
  const offer = await offerFor(asked, surroundings, { isDescribed: describes(shell) });
  return replyFor(shell, offer, asked, typed.current);
}

function describes(shell: Shell): boolean {
  return shell !== "bash";
}
