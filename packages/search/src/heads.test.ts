import { isNotNull } from "@pond/substrate";
import { expect, it } from "vitest";
import { search } from "./search.ts";
import { storeOf } from "./testing.ts";

it.each([
  ["no head yet", null],
  ["a damaged head", '["a","a-0","user"'],
  ["a head of another shape", '["a","a-0","user","soon"]'],
])("answers the same for messages that have %s", async (_, head) => {
  const { sessions, remove } = await storeOf([
    { id: "a", texts: ["Where do herons nest?", "In tall trees."], files: ["heron.png"] },
    { id: "b", texts: [null, "Herons again.", "And \u{1F985} again"], parent: "a" },
    { id: "c", texts: ["herons_nest", "herons", "more of the herons"] },
  ]);
  const requests = [
    { query: "where do the herons nest" },
    { query: "herons_nest" },
    { query: '"tall trees"' },
    { query: "nes" },
    { query: "heron*", min_score: 0.1 },
    { query: "herons", role: "user" },
  ];
  const answers = async () =>
    Promise.all(
      requests.map(async (request) => ({ ...(await search(sessions, request)), took_ms: 0 })),
    );
  const before = await answers();
  expect(before[0]?.sessions[0]?.matches[0]?.parts_summary).toMatchObject([
    { type: "text" },
    { type: "file", name: "heron.png" },
  ]);

  const messages = sessions.store.table("messages");
  const where = isNotNull("head");
  const rows = await messages.rows({ columns: ["session_id", "id"], where });
  expect(rows.length).toBeGreaterThan(6);
  await messages.update({
    session_id: rows.map(({ session_id: id }) => id ?? ""),
    id: rows.map(({ id }) => id ?? ""),
    head: rows.map(() => head),
  });

  expect(await answers()).toEqual(before);
  remove();
});
