import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { readLines } from "./lines.ts";
import type { Question, RetrievalSet, SetMessage, SetSession } from "./set.ts";

const shared = resolve(import.meta.dirname, "../../../../../shared");

/** The folder of the public sets; undefined, with a message, if this machine has none. */
export function publicSets(): string | undefined {
  return folderOf("retrieval sets", "POND_RETRIEVAL", "retrieval");
}

/** The folder of the corpus; undefined, with a message, if this machine has none. */
export function corpusFolder(): string | undefined {
  return folderOf("corpus", "POND_CORPUS", "corpus");
}

function folderOf(what: string, variable: string, usual: string): string | undefined {
  const path = resolve(process.env[variable] || join(shared, usual));
  if (existsSync(path)) return path;
  console.warn(`skipped: no ${what} at ${path}; ${variable} names another place`);
  return undefined;
}

const meetingSchema = v.object({
  session: v.string(),
  turns: v.array(v.object({ speaker: v.string(), text: v.string() })),
  queries: v.array(v.object({ query: v.string(), turns: v.array(v.number()) })),
});

/**
 * Meetings, cut into sessions of so many turns. Whole meetings are few and long; cut ones are like
 * chats, many of which are about the same thing.
 */
export function meetings(from: string, turnsPerSession: number): RetrievalSet {
  const read = readLines(join(from, "qmsum-val.jsonl"), meetingSchema);
  const sessions = new Map<string, SetMessage[]>();
  const questions: Question[] = [];
  for (const { session, turns, queries } of read) {
    const sessionOf = (turn: number): string => `${session}/${Math.floor(turn / turnsPerSession)}`;
    const messageOf = (turn: number): string => `${session}:${turn}`;
    for (const [turn, { text }] of turns.entries()) {
      const role = turn % 2 === 0 ? "user" : "assistant";
      add(sessions, sessionOf(turn), { id: messageOf(turn), role, text });
    }
    for (const [index, { query, turns: answers }] of queries.entries()) {
      questions.push({
        id: `${session}?${index}`,
        text: query,
        sessions: new Set(answers.map(sessionOf)),
        messages: new Set(answers.map(messageOf)),
      });
    }
  }
  const unit = Number.isFinite(turnsPerSession) ? `${turnsPerSession} turns a session` : "whole";
  return { name: `meetings, ${unit}`, sessions: toSessions(sessions), questions };
}

const codeSchema = v.object({ id: v.number(), code: v.string() });
const askedSchema = v.object({ query: v.string(), code_id: v.number() });

/** Functions as code blocks that an assistant wrote, so many to a session. */
export function functions(from: string, functionsPerSession: number): RetrievalSet {
  const code = readLines(join(from, "cosqa-code.jsonl"), codeSchema);
  const asked = readLines(join(from, "cosqa-queries-dev.jsonl"), askedSchema);
  const places = new Map(
    code.map(({ id }, index) => [id, `functions/${Math.floor(index / functionsPerSession)}`]),
  );
  const sessions = new Map<string, SetMessage[]>();
  for (const { id, code: text } of code) {
    const fenced = `\`\`\`python\n${text}\n\`\`\``;
    const session = places.get(id) ?? "";
    add(sessions, session, { id: `function:${id}`, role: "assistant", text: fenced });
    // Without a step between them, a client takes what follows for the same answer.
    add(sessions, session, { shell: "python -m compileall .", output: "Listing '.'..." });
  }
  return {
    name: `functions, ${functionsPerSession} a session`,
    sessions: toSessions(sessions),
    questions: asked.map(({ query, code_id: id }, index) => ({
      id: `functions?${index}`,
      text: query,
      sessions: new Set([places.get(id) ?? ""]),
      messages: new Set([`function:${id}`]),
    })),
  };
}

const maxNames = 400;

/**
 * Names of functions, as a person would paste them: a session that holds one has to come first.
 * Without `__init__` and the like, which other sets hold, too.
 */
export function functionNames({ name, sessions }: RetrievalSet): RetrievalSet {
  const holders = new Map<string, { sessions: Set<string>; messages: Set<string> }>();
  const defined = new Set<string>();
  for (const { id: session, messages } of sessions) {
    for (const message of messages) {
      if (!("text" in message)) continue;
      for (const [word] of message.text.matchAll(/(?<![\p{L}\p{N}_])\w+_\w+(?![\p{L}\p{N}_])/gu)) {
        const found = holders.get(word) ?? { sessions: new Set(), messages: new Set() };
        holders.set(word, found);
        found.sessions.add(session);
        found.messages.add(message.id ?? "");
      }
      const [, definition] = /def (?!__)(\w+_\w+)\(/.exec(message.text) ?? [];
      if (definition !== undefined) defined.add(definition);
    }
  }
  const questions = [...defined].slice(0, maxNames).map((text): Question => {
    const found = holders.get(text);
    const [inSessions, inMessages] = [found?.sessions ?? [], found?.messages ?? []];
    return { id: text, text, sessions: new Set(inSessions), messages: new Set(inMessages) };
  });
  return { name: `exact names of functions (${name})`, sessions: [], questions };
}

function add(sessions: Map<string, SetMessage[]>, id: string, message: SetMessage): void {
  const messages = sessions.get(id) ?? [];
  sessions.set(id, messages);
  messages.push(message);
}

function toSessions(sessions: ReadonlyMap<string, readonly SetMessage[]>): SetSession[] {
  return [...sessions].map(([id, messages]) => ({ id, messages }));
}
