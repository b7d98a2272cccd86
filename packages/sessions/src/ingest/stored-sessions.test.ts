import { expect, it } from "vitest";
import { demoEvents, ingestDemo, said, shown, streamOf, withStore } from "../testing.ts";
import { createIngest } from "./ingest.ts";
import { StoredSessions } from "./stored-sessions.ts";

const demos = ["a", "b", "c"].map((id) => ({ id, messages: [said("1"), said("2")] }));
const ids = demos.map(({ id }) => id);
const expected = demos.map(({ id }) => ({ id }));

it("reads expected sessions together, and gives each once", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, demos);
    const stored = new StoredSessions(sessions.store, expected);

    const first = await stored.take("a");

    expect(first.session.id).toBe("a");
    expect(first.messages.map(({ id }) => id).sort()).toEqual(["1", "2"]);
    expect(ids.map((id) => stored.isPrefetched(id))).toEqual([false, true, true]);
  }));

it("reads a session again when it comes again, and not ahead of that", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, demos);
    const stored = new StoredSessions(sessions.store, expected);
    await stored.take("b");
    await stored.take("a");

    // What was there of it before it was taken is no longer all of it.
    expect(stored.isPrefetched("b")).toBe(false);
    await ingestDemo(sessions, [{ id: "b", messages: [said("1"), said("2"), said("3")] }]);
    expect((await stored.take("b")).messages).toHaveLength(3);
  }));

it.each([
  ["many messages are read by themselves", [3_000, 3_000, 10], [false, false, false]],
  ["few messages are read together", [3_000, 500, 500], [false, true, true]],
])("sessions that have %s", (_, messages, ahead) =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, demos);
    const sized = ids.map((id, at) => ({ id, messages: messages[at] }));
    const stored = new StoredSessions(sessions.store, sized);

    await stored.take("a");

    expect(ids.map((id) => stored.isPrefetched(id))).toEqual(ahead);
  }),
);

it("reads a session only when it comes if others may add to it before", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, demos);
    const stored = new StoredSessions(sessions.store, expected);
    await stored.take("a");

    stored.skipPrefetch("b");
    await ingestDemo(sessions, [{ id: "b", messages: [said("1"), said("2"), said("3")] }]);

    expect(ids.map((id) => stored.isPrefetched(id))).toEqual([false, false, true]);
    expect((await stored.take("b")).messages).toHaveLength(3);
  }));

it("keeps the sessions it read ahead after an unexpected one", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [...demos, { id: "x", messages: [said("1")] }]);
    const stored = new StoredSessions(sessions.store, expected);
    await stored.take("a");

    await stored.take("x");

    expect(ids.map((id) => stored.isPrefetched(id))).toEqual([false, true, true]);
  }));

it("reports a session that does not exist", () =>
  withStore(async (sessions) => {
    await expect(new StoredSessions(sessions.store, [{ id: "x" }]).take("x")).rejects.toMatchObject(
      {
        code: "not_found",
      },
    );
  }));

it.each([
  ["named in advance", ids],
  ["not named in advance", undefined],
])(
  "an ingest of sessions that are %s compares with the stored ones, also the second time",
  (_, sessionIds) =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, demos.slice(0, 2));
      const ingest = createIngest(sessions, { host: "h", now: () => new Date(0), sessionIds });
      const outcomes: string[] = [];
      for (const more of [["3"], ["3", "4"]]) {
        for (const { id, messages } of demos) {
          const events = demoEvents({ id, messages: [...messages, ...more.map((at) => said(at))] });
          await ingest.session(streamOf(events), {
            isUnchanged: async () => true,
            onCommitted: ({ session_id, status, messages_added }) =>
              void outcomes.push(`${session_id} ${status} ${messages_added}`),
          });
        }
      }
      await ingest.finish();

      expect(outcomes).toEqual([
        ...["a grown 1", "b grown 1", "c new 3"],
        ...["a grown 1", "b grown 1", "c grown 1"],
      ]);
      expect(await shown(sessions, "b")).toHaveLength(4);
    }),
);
