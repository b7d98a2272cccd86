import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { lengthOf } from "./cut.ts";

/** The least room that a reply is given. */
const minCharacters = 1_000;
/**
 * The next attempt gets at least this much less room; otherwise a reply that ignores its room would
 * be made for ever.
 */
const shrinkFactor = 0.95;

/**
 * Makes a reply of at most `maxCharacters`, both as JSON and as text. In text, the marks cost more
 * if lines are short, and the hint how to go on is added to what fills the room. So the reply is
 * made again with less room until it fits. One that needs more than half of the least room that may
 * be asked for is longer.
 */
export async function fitResult<Reply extends object>(
  maxCharacters: number,
  make: (characters: number) => Reply | Promise<Reply>,
  textOf: (reply: Reply) => string,
): Promise<CallToolResult> {
  for (let characters = maxCharacters; ; ) {
    const reply = await make(characters);
    const text = textOf(reply);
    const length = Math.max(text.length, lengthOf(reply));
    if (length <= maxCharacters || characters === minCharacters) return resultOf(text, reply);
    const nextCharacters = Math.min(
      characters * shrinkFactor,
      (characters * maxCharacters) / length,
    );
    characters = Math.max(minCharacters, Math.floor(nextCharacters));
  }
}

function resultOf(text: string, reply: object): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...reply } };
}
