import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** One thing said in a session of a set. */
type SetMessage = {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
};

export type SetSession = { readonly id: string; readonly messages: readonly SetMessage[] };

/** A question as it was asked, and the sessions and messages that answer it. */
export type Question = {
  readonly text: string;
  readonly sessions: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
};

export type RetrievalSet = {
  readonly name: string;
  readonly sessions: readonly SetSession[];
  readonly questions: readonly Question[];
};

const folder = resolve(
  process.env["POND_RETRIEVAL"] ?? `${import.meta.dirname}/../../../../shared/retrieval`,
);

/** True where the sets are on this machine; they are not part of the project. */
export const hasSets: boolean = existsSync(`${folder}/qmsum-val.jsonl`);

type Meeting = {
  readonly session: string;
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
  readonly queries: readonly { readonly query: string; readonly turns: readonly number[] }[];
};

/**
 * Meetings, cut into sessions of so many turns. Whole meetings are few and long; cut ones are like
 * chats, many of them about the same thing.
 */
export function meetings(turnsPerSession: number): RetrievalSet {
  const read = lines<Meeting>("qmsum-val.jsonl");
  const sessionOf = ({ session }: Meeting, turn: number): string =>
    `${session}/${Math.floor(turn / turnsPerSession)}`;
  const messageOf = ({ session }: Meeting, turn: number): string => `${session}:${turn}`;
  const name = Number.isFinite(turnsPerSession)
    ? `meetings, ${turnsPerSession} turns a session`
    : "meetings, whole";
  const sessions = new Map<string, SetMessage[]>();
  for (const meeting of read) {
    for (const [turn, { text }] of meeting.turns.entries()) {
      const role = turn % 2 === 0 ? "user" : "assistant";
      const id = sessionOf(meeting, turn);
      const messages = sessions.get(id) ?? [];
      sessions.set(id, messages);
      messages.push({ id: messageOf(meeting, turn), role, text });
    }
  }
  const questions = read.flatMap((meeting) =>
    meeting.queries.map(({ query, turns }) => ({
      text: query,
      sessions: new Set(turns.map((turn) => sessionOf(meeting, turn))),
      messages: new Set(turns.map((turn) => messageOf(meeting, turn))),
    })),
  );
  return { name, sessions: [...sessions].map(([id, messages]) => ({ id, messages })), questions };
}

/** Functions as the code blocks an assistant wrote, so many to a session. */
export function functions(functionsPerSession: number): RetrievalSet {
  const code = lines<{ readonly id: number; readonly code: string }>("cosqa-code.jsonl");
  const asked = lines<{ readonly query: string; readonly code_id: number }>(
    "cosqa-queries-dev.jsonl",
  );
  const places = new Map(
    code.map(({ id }, index) => [id, `functions/${Math.floor(index / functionsPerSession)}`]),
  );
  const sessions = new Map<string, SetMessage[]>();
  for (const { id, code: text } of code) {
    const session = places.get(id) ?? "";
    const messages = sessions.get(session) ?? [];
    sessions.set(session, messages);
    const fenced = `\`\`\`python\n${text}\n\`\`\``;
    messages.push({ id: `function:${id}`, role: "assistant", text: fenced });
  }
  return {
    name: `functions, ${functionsPerSession} a session`,
    sessions: [...sessions].map(([id, messages]) => ({ id, messages })),
    questions: asked.map(({ query, code_id: id }) => ({
      text: query,
      sessions: new Set([places.get(id) ?? ""]),
      messages: new Set([`function:${id}`]),
    })),
  };
}

function lines<T>(file: string): T[] {
  const text = readFileSync(`${folder}/${file}`, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): T => JSON.parse(line));
}
