import type { JsonObject } from "@pond/canonical";
import { type Asked, type Reply, stubAnswer } from "./model-stub.ts";

/** A tool, and what it is given. */
export type Wish = readonly [name: string, input: JsonObject];

/**
 * What the stand-in wishes when a prompt is put to it, by words of the prompt. Of several wishes it
 * has the first whose tool the client offers: releases call their tools differently.
 */
export type Script = Readonly<Record<string, readonly [Wish, ...Wish[]]>>;

/** What the stand-in says where it is asked for a title or a summary. */
const stubSummary = "A summary";

/**
 * Follows a script; every other prompt, and every answer of a tool, gets a plain answer. The script
 * is asked for late, because it may name the home of a client that is told of the stand-in first.
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
