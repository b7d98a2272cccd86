import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { lengthOf } from "./cut.ts";

/** Less room than this is never given. */
const leastCharacters = 1_000;
/** So much less room at least is given the next time, or a reply that heeds none were made for ever. */
const atMostAgain = 0.95;

/**
 * A reply that takes at most `maxCharacters`, in JSON as in its text: marks cost more there where lines
 * are short, and what says how to go on comes to what fills the room. So it is made with less room until
 * it does; one that needs more than half of the least that may be asked for is longer.
 */
export async function resultWithin<Reply extends object>(
  maxCharacters: number,
  make: (characters: number) => Reply | Promise<Reply>,
  textOf: (reply: Reply) => string,
): Promise<CallToolResult> {
  for (let characters = maxCharacters; ; ) {
    const reply = await make(characters);
    const text = textOf(reply);
    const length = Math.max(text.length, lengthOf(reply));
    if (length <= maxCharacters || characters === leastCharacters) return resultOf(text, reply);
    const fewer = Math.min(characters * atMostAgain, (characters * maxCharacters) / length);
    characters = Math.max(leastCharacters, Math.floor(fewer));
  }
}

function resultOf(text: string, reply: object): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...reply } };
}
