import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DatedMessage, mergeMessages } from "./merge.ts";
import { type IncomingMessage, liveMessages, reconcile } from "./reconcile.ts";
import { carrierRowId } from "./revisions.ts";

type Rows = readonly DatedMessage[];

/** What a store holds that saw these states, at these times. */
function storeThatSaw(states: readonly (readonly [number, readonly IncomingMessage[]])[]): Rows {
  let rows: DatedMessage[] = [];
  for (const [time, state] of states) {
    const changes = reconcile(liveMessages(rows), state, { mayRemove: true, coverage: "whole" });
    const base = { timestamp: 0n, ingestedAt: BigInt(time) };
    const added = changes.map((change): DatedMessage => {
      const { id = "", digest = null } =
        change.kind === "remove" ? {} : (state[change.position] ?? {});
      if (change.kind === "insert") {
        return { ...base, id, ordinal: change.ordinal, digest, revises: null, revision: 0n };
      }
      const { previous } = change;
      const ordinal = change.kind === "remove" ? previous.ordinal : change.ordinal;
      const rowId = carrierRowId(previous, { digest, ordinal });
      const revision = previous.revision + 1n;
      return { ...base, id: rowId, ordinal, digest, revises: previous.id, revision };
    });
    rows = [...rows, ...added];
  }
  return rows;
}

/** What a store holds after a copy. */
function copied(others: Rows, own: Rows): Rows {
  const { added, moves } = mergeMessages(own, others, () => false);
  const given = new Map(others.map((row) => [row.id, row]));
  const rows = added.flatMap(({ from, id, ordinal, revision }) => {
    const row = given.get(from);
    return row ? [{ ...row, id, ordinal, revision }] : [];
  });
  const made = moves.map(({ previous, ordinal, timestamp }): DatedMessage => {
    const { id: revises, digest } = previous;
    const id = carrierRowId(previous, { digest, ordinal });
    const revision = previous.revision + 1n;
    return { id, ordinal, digest, revises, revision, timestamp, ingestedAt: 0n };
  });
  return [...own, ...made, ...rows];
}

/** The value of each message, shown or not. */
function values(rows: Rows): Record<string, string | null> {
  return Object.fromEntries([...liveMessages(rows)].map(([id, { digest }]) => [id, digest]));
}

/** The ids of the messages that are shown, in their order. */
function order(rows: Rows): string[] {
  return [...liveMessages(rows).values()]
    .filter(({ digest }) => digest !== null)
    .sort((left, right) => (left.ordinal < right.ordinal ? -1 : 1))
    .map(({ id }) => id);
}

const said = (id: string, digest: string): IncomingMessage => ({ id, digest, timestamp: 0n });

// A source whose every message only ever gets values it never had.
const history = fc
  .array(fc.subarray([..."abcdefgh"], { minLength: 1 }), { minLength: 1, maxLength: 8 })
  .map((states) =>
    states.map((ids, time) => [time, ids.map((id) => said(id, `${id}${time}`))] as const),
  );
const seen = fc.tuple(history, fc.infiniteStream(fc.boolean()), fc.infiniteStream(fc.boolean()));

describe("mergeMessages", () => {
  it("replaces no value with an older one, and includes every message", () => {
    fc.assert(
      fc.property(seen, ([states, ofOne, ofOther]) => {
        const one = storeThatSaw(states.filter(() => ofOne.next().value));
        const other = storeThatSaw(states.filter(() => ofOther.next().value));

        const merged = values(copied(other, one));

        const ageOf = (digest: string | null | undefined) => Number(digest?.slice(1) ?? -1);
        for (const [id, digest] of Object.entries(values(one))) {
          // Nothing tells how old a removal is.
          if (merged[id] !== null) expect(ageOf(merged[id])).toBeGreaterThanOrEqual(ageOf(digest));
        }
        for (const id of Object.keys(values(other))) expect(merged).toHaveProperty(id);
      }),
    );
  });

  it("adds nothing when the same rows are merged again", () => {
    fc.assert(
      fc.property(seen, ([states, ofOne, ofOther]) => {
        const one = storeThatSaw(states.filter(() => ofOne.next().value));
        const other = storeThatSaw(states.filter(() => ofOther.next().value));
        const merged = copied(other, one);

        expect(mergeMessages(merged, other, () => false)).toMatchObject({ added: [], moves: [] });
      }),
    );
  });

  it("brings a copy to the state of its source, however often the source changes", () => {
    fc.assert(
      fc.property(seen, fc.nat({ max: 8 }), ([states], first) => {
        const before = copied(storeThatSaw(states.slice(0, first)), []);
        const source = storeThatSaw(states);

        const after = copied(source, before);

        expect(values(after)).toEqual(values(source));
        expect(order(after)).toEqual(order(source));
      }),
    );
  });

  it("keeps the message order of each store", () => {
    fc.assert(
      fc.property(
        fc.subarray([..."abcdefgh"]),
        fc.subarray([..."abcdefghijkl"]),
        (ofOne, ofOther) => {
          const one = storeThatSaw([[0, ofOne.map((id) => said(id, id))]]);
          const other = storeThatSaw([[1, ofOther.map((id) => said(id, id))]]);

          const merged = order(copied(other, one));

          expect(merged.filter((id) => ofOne.includes(id))).toEqual(ofOne);
          expect(merged.filter((id) => ofOther.includes(id))).toEqual(ofOther);
        },
      ),
    );
  });
});
