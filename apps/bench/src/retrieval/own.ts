import { join, resolve } from "node:path";
import * as v from "valibot";
import { readLines, requireUnique } from "./lines.ts";
import type { RetrievalSet, SetMessage, SetSession } from "./set.ts";

const folder = resolve(import.meta.dirname, "../../retrieval-set");

/**
 * What a question tests, and the least share of such questions, in percent, that has to succeed.
 */
export type Bar = { readonly hit1: number; readonly hit5: number };

const always: Bar = { hit1: 100, hit5: 100 };

/**
 * The categories of our own set. Where the very characters are asked for, the answer has to come
 * first. The others have floors below what was reached, so that nothing gets worse unnoticed. A
 * question in another language than its answer needs meaning: words find it only by names that they
 * share.
 */
export const categories: ReadonlyMap<string, Bar> = new Map(
  Object.entries({
    snake_case: always,
    camelCase: always,
    PascalCase: always,
    "kebab-case": always,
    SCREAMING_CASE: always,
    dotted: always,
    "Class::method": always,
    "partial identifier": { hit1: 80, hit5: 100 },
    "quoted error": always,
    "error message": { hit1: 80, hit5: 100 },
    "stack trace": { hit1: 80, hit5: 100 },
    path: always,
    url: { hit1: 75, hit5: 100 },
    "hash or id": { hit1: 85, hit5: 100 },
    version: { hit1: 80, hit5: 100 },
    "short CJK": always,
    CJK: { hit1: 90, hit5: 100 },
    "other scripts": { hit1: 90, hit5: 100 },
    emoji: { hit1: 80, hit5: 100 },
    "compounds and umlauts": { hit1: 90, hit5: 100 },
    "across languages": { hit1: 0, hit5: 0 },
    "superseded answer": { hit1: 0, hit5: 100 },
    "sub-agent noise": { hit1: 80, hit5: 100 },
    "huge session": { hit1: 50, hit5: 100 },
    paraphrase: { hit1: 80, hit5: 90 },
    typo: { hit1: 60, hit5: 80 },
    "chat question": { hit1: 80, hit5: 90 },
    operators: { hit1: 90, hit5: 100 },
  }),
);

const text = v.pipe(v.string(), v.nonEmpty());

const messageSchema = v.union([
  v.strictObject({ user: text }),
  v.strictObject({ assistant: text }),
  v.strictObject({ shell: text, output: v.string() }),
]);

const sessionSchema = v.strictObject({
  id: text,
  date: v.pipe(v.string(), v.isoTimestamp()),
  parent: v.optional(text),
  /** How often its messages are repeated, for a huge session. */
  repeat: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  messages: v.pipe(v.array(messageSchema), v.nonEmpty()),
});

const querySchema = v.strictObject({
  id: text,
  category: v.picklist([...categories.keys()]),
  query: text,
  sessions: v.pipe(v.array(text), v.nonEmpty()),
});

/**
 * The set that we wrote: what people paste and ask, and public sets lack.
 *
 * @throws {Error} if a line has another shape, an id occurs twice, or a question is answered by a
 * session that does not exist or is a sub-agent's.
 */
export function ownSet(from: string = folder): RetrievalSet {
  const files = { sessions: join(from, "sessions.jsonl"), queries: join(from, "queries.jsonl") };
  const read = readLines(files.sessions, sessionSchema);
  const asked = readLines(files.queries, querySchema);
  requireUnique(
    files.sessions,
    read.map(({ id }) => id),
  );
  requireUnique(
    files.queries,
    asked.map(({ id }) => id),
  );
  const sessions = read.map(({ id, date, parent, repeat, messages }): SetSession => {
    const said = messages.map(toMessage);
    const all = Array.from({ length: repeat }, () => said).flat();
    return { id, date, messages: all, ...(parent !== undefined && { parent }) };
  });
  const roots = new Set(sessions.filter(({ parent }) => !parent).map(({ id }) => id));
  for (const { id, parent } of sessions) {
    if (parent === undefined || roots.has(parent)) continue;
    throw new Error(`${files.sessions}: "${id}" has the parent "${parent}", which is no root`);
  }
  for (const { id, sessions: answers } of asked) {
    const unknown = answers.find((answer) => !roots.has(answer));
    if (unknown === undefined) continue;
    throw new Error(`${files.queries}: "${id}" is answered by "${unknown}", which is no root`);
  }
  const questions = asked.map(({ id, category, query, sessions: answers }) => {
    return { id, category, text: query, sessions: new Set(answers), messages: new Set<string>() };
  });
  return { name: "our own set", sessions, questions };
}

function toMessage(message: v.InferOutput<typeof messageSchema>): SetMessage {
  if ("user" in message) return { role: "user", text: message.user };
  if ("assistant" in message) return { role: "assistant", text: message.assistant };
  return message;
}
