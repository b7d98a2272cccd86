import { sessionFromWire } from "@pond/canonical";
import { expect, it } from "vitest";
import { formerValues } from "./former-values.ts";
import { sessionItself } from "./reconcile.ts";
import { sessionDigest } from "./session-revisions.ts";
import type { FoundMessage } from "./stored-messages.ts";

const session = sessionFromWire({
  id: "s",
  source_agent: "demo",
  project: "/home/ada",
  created_at: "2026-03-01T09:00:00.000Z",
  options: {},
});

/** The rows of one message, each with its digest and when it was stored. */
function rowsOf(id: string, ...values: readonly (readonly [string | null, number])[]) {
  return values.map(
    ([digest, at], revision): FoundMessage => ({
      id: revision === 0 ? id : `${id}${revision}`,
      revises: revision === 0 ? null : id,
      revision: BigInt(revision),
      digest,
      ingestedAt: BigInt(at),
      ordinal: 0n,
      timestamp: 0n,
      row: 0n,
      role: "user",
      isSearchable: false,
    }),
  );
}

it.each([
  ["none if it never changed", rowsOf("a", ["d", 1]), {}],
  ["a value that was replaced", rowsOf("a", ["d", 1], ["e", 2]), { d: 2 }],
  [
    "each value with the time when it was last replaced",
    rowsOf("a", ["d", 1], ["e", 2], ["d", 3], ["f", 4]),
    { d: 4, e: 3 },
  ],
  ["no value that is current again", rowsOf("a", ["d", 1], ["e", 2], ["d", 3]), { e: 3 }],
  [
    "a value that moved before it was replaced",
    rowsOf("a", ["d", 1], ["d", 2], ["e", 3]),
    { d: 3 },
  ],
  ["none if the message was removed", rowsOf("a", ["d", 1], ["e", 2], [null, 3]), {}],
  [
    "a value from before it was removed and came back changed",
    rowsOf("a", ["d", 1], [null, 2], ["e", 3]),
    { d: 2 },
  ],
])("knows the former values of a message: %s", (_, rows, former) => {
  const found = formerValues(session, rows.toReversed());

  expect(Object.fromEntries(found.get("a") ?? [])).toEqual(former);
});

it("knows the former values of a session's own row", () => {
  const [, ...carriers] = rowsOf(sessionItself, ["", 0], ["e", 2], ["f", 3]);

  const former = formerValues(session, carriers).get(sessionItself);

  expect([...(former ?? [])]).toEqual([
    [sessionDigest(session), 2],
    ["e", 3],
  ]);
});
