import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chatSet } from "./chats.ts";
import { ownSet } from "./own.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-retrieval-set-"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const loom = { id: "loom", date: "2026-01-02T09:00:00Z", messages: [{ user: "Why?" }] };
const agent = { ...loom, id: "agent", parent: "loom" };
const why = { id: "q1", category: "chat question", query: "why", sessions: ["loom"] };

it("repeats the messages of a session as often as its `repeat` says", () => {
  write([{ ...loom, repeat: 3 }, agent], [why]);

  const { sessions, questions } = ownSet(folder);

  expect(sessions.map(({ id, messages }) => [id, messages.length])).toEqual([
    ["loom", 3],
    ["agent", 1],
  ]);
  expect(questions.map(({ text, sessions: answers }) => [text, [...answers]])).toEqual([
    ["why", ["loom"]],
  ]);
});

it.each([
  ["a session occurs twice", [loom, loom], [why], 'sessions.jsonl: "loom" is there twice'],
  ["a question occurs twice", [loom], [why, why], 'queries.jsonl: "q1" is there twice'],
  [
    "the session that answers a question is missing",
    [loom],
    [{ ...why, sessions: ["gone"] }],
    '"q1" is answered by "gone", which is no root',
  ],
  [
    "a sub-agent session answers a question",
    [loom, agent],
    [{ ...why, sessions: ["agent"] }],
    '"q1" is answered by "agent", which is no root',
  ],
  ["a parent session is missing", [agent], [], '"agent" has the parent "loom", which is no root'],
  ["a question has no answer", [loom], [{ ...why, sessions: [] }], "queries.jsonl:1: sessions: "],
  ["a category is unknown", [loom], [{ ...why, category: "x" }], "queries.jsonl:1: category: "],
  ["a date is invalid", [{ ...loom, date: "today" }], [], "sessions.jsonl:1: date: "],
])("refuses a set where %s", (_, sessions, queries, message) => {
  write(sessions, queries);

  expect(() => ownSet(folder)).toThrow(message);
});

it("reads a set of chats with or without dates, ids and categories", () => {
  const said = { id: "a:0", role: "user", text: "Tea at four?" };
  const asked = { query: "when is tea", sessions: ["a"], messages: ["a:0"], category: 2 };
  write(
    [
      { session: "a", date: "2026-01-02T09:00:00Z", messages: [said] },
      { session: "b", messages: [{ role: "assistant", text: "At five." }] },
    ],
    [asked, { query: "who", sessions: ["b"] }],
  );
  vi.stubEnv("POND_RETRIEVAL_CHATS", folder);

  const set = chatSet();

  expect(set?.name).toBe("chat set given by POND_RETRIEVAL_CHATS (2 sessions, 2 questions)");
  expect(set?.questions.map(({ sessions, messages }) => [...sessions, ...messages])).toEqual([
    ["a", "a:0"],
    ["b"],
  ]);
});

it("names the line of a chat question whose answer does not exist", () => {
  write([{ session: "a", messages: [] }], [{ query: "who", sessions: ["z"] }]);
  vi.stubEnv("POND_RETRIEVAL_CHATS", folder);

  expect(() => chatSet()).toThrow('queries.jsonl:1: no session "z"');
});

function write(sessions: readonly object[], queries: readonly object[]): void {
  for (const [name, rows] of Object.entries({ sessions, queries })) {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(join(folder, `${name}.jsonl`), lines);
  }
}
