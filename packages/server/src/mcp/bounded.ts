import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** Less room than this is never given. */
const leastCharacters = 1_000;
/** What a text may be longer than asked: it has a few words of ours. */
const slack = 1.05;

/**
 * A reply whose text, too, takes about `maxCharacters`: marks cost more there than in JSON where
 * lines are short, so it is made with less room until it does.
 */
export async function resultWithin<Reply extends object>(
  maxCharacters: number,
  make: (characters: number) => Reply | Promise<Reply>,
  textOf: (reply: Reply) => string,
): Promise<CallToolResult> {
  for (let characters = maxCharacters; ; ) {
    const reply = await make(characters);
    const text = textOf(reply);
    if (text.length <= maxCharacters * slack || characters === leastCharacters) {
      return resultOf(text, reply);
    }
    const fewer = Math.floor((characters * maxCharacters) / text.length);
    characters = Math.max(leastCharacters, fewer);
  }
}

function resultOf(text: string, reply: object): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...reply } };
}
