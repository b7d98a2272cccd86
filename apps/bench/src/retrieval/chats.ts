import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { readLines, requireUnique } from "./lines.ts";
import type { RetrievalSet } from "./set.ts";

const sessionSchema = v.object({
  session: v.string(),
  date: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  messages: v.array(
    v.object({
      id: v.optional(v.string()),
      role: v.picklist(["user", "assistant"]),
      text: v.pipe(v.string(), v.nonEmpty()),
    }),
  ),
});

const querySchema = v.object({
  query: v.pipe(v.string(), v.nonEmpty()),
  sessions: v.pipe(v.array(v.string()), v.nonEmpty()),
  messages: v.optional(v.array(v.string()), []),
  category: v.optional(v.union([v.string(), v.number()])),
});

/**
 * The chats in the folder that `POND_RETRIEVAL_CHATS` names, and the questions about them. Never a
 * part of the project, because nobody may look at what is held out.
 *
 * @throws {Error} if a line has another shape, or a question names a session that does not exist.
 */
export function chatSet(): RetrievalSet | undefined {
  const named = process.env["POND_RETRIEVAL_CHATS"];
  const folder = resolve(named || "chats");
  const [chats, asked] = [join(folder, "sessions.jsonl"), join(folder, "queries.jsonl")];
  if (!named || !existsSync(chats)) {
    const place = named ? `no chats at ${chats}; ` : "no chats; ";
    console.warn(`skipped: ${place}POND_RETRIEVAL_CHATS names their folder`);
    return undefined;
  }
  const sessions = readLines(chats, sessionSchema).map(({ session: id, date, messages }) => ({
    ...{ id, ...(date !== undefined && { date }) },
    messages: messages.map(({ id: message, ...said }) => ({
      ...said,
      ...(message !== undefined && { id: message }),
    })),
  }));
  const ids = sessions.map(({ id }) => id);
  requireUnique(chats, ids);
  const known = new Set(ids);
  const questions = readLines(asked, querySchema).map(({ query, category, ...answers }, index) => {
    const unknown = answers.sessions.find((id) => !known.has(id));
    if (unknown !== undefined) {
      throw new Error(`${asked}:${index + 1}: no session "${unknown}" in ${chats}`);
    }
    return {
      id: `chats?${index}`,
      text: query,
      sessions: new Set(answers.sessions),
      messages: new Set(answers.messages),
      ...(category !== undefined && { category: String(category) }),
    };
  });
  const counts = `${sessions.length} sessions, ${questions.length} questions`;
  return { name: `chat set given by POND_RETRIEVAL_CHATS (${counts})`, sessions, questions };
}
