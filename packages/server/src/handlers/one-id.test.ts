import { join } from "node:path";
import { openSessions } from "@pond/sessions";
import { eq } from "@pond/substrate";
import type { IngestEvent } from "@pond/wire";
import { afterAll, expect, test } from "vitest";
import { chat, testPond } from "../testing.ts";

// Two machines may each give a session of theirs one id. Over HTTP that is one session (spec 7.6).

const pond = testPond();
afterAll(() => pond.remove());

/** Everything that is stored under an id, shown or not, as one text. */
async function storedOf(id: string): Promise<string> {
  const sessions = await openSessions(join(pond.folder, "store"));
  const where = eq("session_id", id);
  const parts = await sessions.store.table("parts").rows({ columns: ["variant_data"], where });
  const messages = await sessions.store.table("messages").rows({ columns: ["options"], where });
  sessions.close();
  return [...parts, ...messages].map((row) => Object.values(row).join()).join();
}

async function ask(requests: readonly (readonly IngestEvent[])[], isAtOnce: boolean) {
  if (isAtOnce) {
    return Promise.all(requests.map((events) => pond.ask("ingest", { events })));
  }
  const answers = [];
  for (const events of requests) answers.push(await pond.ask("ingest", { events }));
  return answers;
}

async function texts(session_id: string): Promise<unknown[]> {
  const page = await pond.ask("get", { session_id });
  return "messages" in page ? page.messages.map(({ text }) => text) : [];
}

/** The same with other ids of messages. */
function withOtherIds(events: readonly IngestEvent[]): IngestEvent[] {
  return JSON.parse(JSON.stringify(events).replaceAll(/"m(\d)"/g, '"n$1"'));
}

const heron = ["heron one", "heron two"];
const otter = ["otter one", "otter two", "otter three"];

test.each([
  ["one after the other", false],
  ["at once", true],
])(
  "shows all messages that two machines store under one session id %s, each machine's in order",
  async (_, isAtOnce) => {
    const id = `others-${isAtOnce}`;
    const requests = [chat(id, heron), withOtherIds(chat(id, otter))];

    await ask(requests, isAtOnce);
    const [again] = await ask(requests, false);

    const said = await texts(id);
    expect(said.filter((text) => heron.includes(String(text)))).toEqual(heron);
    expect(said.filter((text) => otter.includes(String(text)))).toEqual(otter);
    expect(said.length).toBe(5);
    expect(again?.sessions).toMatchObject([{ status: "unchanged", revisions: 0 }]);
  },
);

test.each([
  ["one after the other", false],
  ["at once", true],
])(
  "keeps both texts when two machines use the same message ids %s, and counts the revisions",
  async (_, isAtOnce) => {
    const id = `same-${isAtOnce}`;

    const answers = await ask(
      [chat(id, heron), chat(id, otter, { project: "/elsewhere" })],
      isAtOnce,
    );

    const told = answers.flatMap(({ sessions }) => sessions.map(({ revisions }) => revisions));
    expect(told.reduce((sum, each) => sum + each, 0)).toBe(2);
    // Nothing tells what either is now: what came last is shown.
    expect([[...heron, "otter three"], otter]).toContainEqual(await texts(id));
    const stored = await storedOf(id);
    for (const text of [...heron, ...otter]) expect(stored).toContain(text);
    expect(answers.flatMap(({ rejected }) => rejected)).toMatchObject([{ code: "immutable" }]);
  },
);
