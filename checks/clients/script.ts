import type { JsonObject } from "@pond/canonical";
import { type Asked, type Reply, stubAnswer } from "./model-stub.ts";

/** A tool and its input. */
export type Wish = readonly [name: string, input: JsonObject];

/**
 * The tool calls of the stand-in, by words of the prompt. Of several calls, it makes the first one
 * whose tool the client offers, because releases call their tools differently.
 */
export type Script = Readonly<Record<string, readonly [Wish, ...Wish[]]>>;

/** The answer of the stand-in to a request for a title or a summary. */
const stubSummary = "A summary";

/**
 * Follows a script. Every other prompt, and every tool result, gets a plain answer. The script is
 * read late, because it may name the home of a client that needs the stand-in's address first.
 */
export function following(script: () => Script): (asked: Asked) => Reply {
  return ({ text, tools }) => {
    // Titles and summaries are asked for without tools; they quote the prompts.
    if (tools.length === 0) return { type: "text", text: stubSummary };
    const [, wishes] = Object.entries(script()).find(([words]) => text.includes(words)) ?? [];
    const wish = wishes?.find(([name]) => tools.includes(name)) ?? wishes?.[0];
    if (wish === undefined) return { type: "text", text: stubAnswer };
    const [name, input] = wish;
    return { type: "call", name, input };
  };
}
