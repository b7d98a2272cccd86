import type { JsonObject } from "@pond/canonical";
import { type ModelRequest, type Reply, stubAnswer } from "./model-stub.ts";

/** A tool and its input. */
export type ScriptedCall = readonly [name: string, input: JsonObject];

/**
 * The tool calls of the stand-in, by words of the prompt. Of several calls, it makes the first one
 * whose tool the client offers, because releases call their tools differently.
 */
export type Script = Readonly<Record<string, readonly [ScriptedCall, ...ScriptedCall[]]>>;

/** The answer of the stand-in to a request for a title or a summary. */
const stubSummary = "A summary";

/**
 * Follows a script. Every other prompt, and every tool result, gets a plain answer. The script is
 * read late, because it may name the home of a client that needs the stand-in's address first.
 */
export function followScript(script: () => Script): (asked: ModelRequest) => Reply {
  return ({ text, tools }) => {
    // Titles and summaries are asked for without tools; they quote the prompts.
    if (tools.length === 0) return { type: "text", text: stubSummary };
    const [, calls] = Object.entries(script()).find(([words]) => text.includes(words)) ?? [];
    const call = calls?.find(([name]) => tools.includes(name)) ?? calls?.[0];
    if (call === undefined) return { type: "text", text: stubAnswer };
    const [name, input] = call;
    return { type: "call", name, input };
  };
}
