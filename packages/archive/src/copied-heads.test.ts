import type { SessionStore } from "@pond/sessions";
import { makeHeads } from "@pond/sessions/search";
import { type Row, rowId } from "@pond/substrate";
import { expect, it } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { copyTable, damagedCopy, ingest, openStore, saying, storeOf } from "./testing.ts";

/** The heads of a store, and those that are made of its rows; null where one of these is not whole. */
async function headsOf({ store, close }: SessionStore) {
  await store.refresh();
  const columns = [rowId, "head", "search_text"];
  const rows = (await store.table("messages").rows({ columns })).filter(
    (row) => row["search_text"] !== null,
  );
  const idOf = (row: Row): bigint => BigInt(row[rowId] as bigint);
  const made = await makeHeads({ store, close }, rows.map(idOf));
  const expected = rows.map((row) => {
    const { head, isWhole } = made.get(idOf(row)) ?? {};
    if (head === undefined || !isWhole) return null;
    const { sessionId, id, role, timestamp, parts } = head;
    const own = [sessionId, id, role, String(timestamp)];
    return JSON.stringify(parts.length === 0 ? own : [...own, parts]);
  });
  return { stored: rows.map(({ head }) => head), expected };
}

const many = Array.from({ length: 40 }, (_, at) => `part ${"x".repeat(at)}`);
const demo = { id: "s", texts: [["x", "y"], "z", many] };

/** Changes one part, or takes it away. */
function ofPart(message: string, id: string, change: Partial<Row> | undefined) {
  return (table: string, row: Row): Row | undefined => {
    const isIt = table === "parts" && row["message_id"] === message && row["id"] === id;
    return isIt ? change && ({ ...row, ...change } as Row) : row;
  };
}

it.each<[string, Parameters<typeof damagedCopy>[1]]>([
  ["is whole", (_, row) => row],
  ["has a part of an unknown type", ofPart("m0", "1", { type: "xtext" })],
  ["has a part with unreadable content", ofPart("m0", "1", { variant_data: "{" })],
  ["has lost one of its first parts", ofPart("m2", "5", undefined)],
  ["has a part with another ordinal", ofPart("m2", "5", { ordinal: 99n })],
  ["has a part with unreadable options", ofPart("m0", "1", { options: "{" })],
])(
  "stores the head made from a copied message's rows, or none, when the message %s",
  async (_, damage) => {
    const from = await damagedCopy(await storeOf(demo), damage);
    const target = await openStore();

    await copySessions(from, target);

    const { stored, expected } = await headsOf(target);
    expect(stored).toHaveLength(3);
    expect(stored).toEqual(expected);
  },
);

it("stores heads in a renamed session with revisions whose parts are already in the target", async () => {
  const from = await storeOf(saying("a b c", { agent: "pi" }), demo);
  await ingest(from, [saying("a c b", { agent: "pi" }), saying("a:2 c b q", { agent: "pi" })]);
  const target = await storeOf(saying("x y"));
  await copyTable(from, target, "parts");

  await copySessions(from, target);

  const { stored, expected } = await headsOf(target);
  expect(stored).not.toContain(null);
  expect(stored).toEqual(expected);
});
