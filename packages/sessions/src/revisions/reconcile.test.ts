import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Incoming,
  type LiveMessage,
  liveMessages,
  ordinalGap,
  reconcile,
  type StoredMessage,
} from "./reconcile.ts";

/** Stores what reconciling asks for, as ingest does. */
function apply(
  stored: readonly StoredMessage[],
  incoming: readonly Incoming[],
  { mayRemove = true } = {},
): StoredMessage[] {
  const changes = reconcile(liveMessages(stored), incoming, { mayRemove });
  const added = changes.map((change): StoredMessage => {
    const { id = "", digest = "" } =
      change.kind === "remove" ? {} : (incoming[change.position] ?? {});
    if (change.kind === "insert") {
      return { id, ordinal: change.ordinal, digest, revises: null, revision: 0n };
    }
    const { previous } = change;
    const base = {
      id: `carrier ${previous.rowId} ${change.kind === "remove" ? "" : `${digest} ${change.ordinal}`}`,
      revises: previous.id,
      revision: previous.revision + 1n,
    };
    return change.kind === "remove"
      ? { ...base, ordinal: previous.ordinal, digest: null }
      : { ...base, ordinal: change.ordinal, digest };
  });
  return [...stored, ...added];
}

/** What a reader is shown: the live messages in their order. */
function shown(stored: readonly StoredMessage[]): Incoming[] {
  return [...liveMessages(stored).values()]
    .filter((message): message is LiveMessage & { digest: string } => message.digest !== null)
    .sort((left, right) => (left.ordinal < right.ordinal ? -1 : 1))
    .map(({ id, digest }) => ({ id, digest }));
}

const state = fc.uniqueArray(
  fc.record({ id: fc.constantFrom(..."abcdefghijkl"), digest: fc.constantFrom("1", "2", "3") }),
  { selector: ({ id }) => id, maxLength: 12 },
);

describe("reconcile", () => {
  it("shows exactly what came last, in its order, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 6 }), (states) => {
        let stored: StoredMessage[] = [];
        for (const each of states) stored = apply(stored, each);

        expect(shown(stored)).toEqual(states.at(-1) ?? []);
      }),
    );
  });

  it("asks for nothing where nothing changed", () => {
    fc.assert(
      fc.property(
        fc.array(state, { maxLength: 5 }),
        state,
        fc.boolean(),
        (states, last, mayRemove) => {
          let stored: StoredMessage[] = [];
          for (const each of states) stored = apply(stored, each, { mayRemove });
          stored = apply(stored, last, { mayRemove });

          expect(reconcile(liveMessages(stored), last, { mayRemove })).toEqual([]);
        },
      ),
    );
  });

  it("keeps every row and everything that earlier states alone contained (`lance-append-only`)", () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 6 }), fc.boolean(), (states, mayRemove) => {
        let stored: StoredMessage[] = [];
        for (const each of states) {
          const before = stored;
          stored = apply(stored, each, { mayRemove });
          expect(stored.slice(0, before.length)).toEqual(before);
        }

        const originals = new Set(stored.flatMap(({ id, revises }) => (revises ? [] : [id])));
        expect(originals).toEqual(new Set(states.flat().map(({ id }) => id)));
        expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
      }),
    );
  });

  it("removes nothing unless it may, and shows what came in its order all the same", () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), (states) => {
        let stored: StoredMessage[] = [];
        for (const each of states) stored = apply(stored, each, { mayRemove: false });

        const last = new Map((states.at(-1) ?? []).map(({ id, digest }) => [id, digest]));
        const all = shown(stored);
        expect(all.filter(({ id }) => last.has(id))).toEqual(states.at(-1));
        expect(new Set(all.map(({ id }) => id))).toEqual(
          new Set(states.flat().map(({ id }) => id)),
        );
      }),
    );
  });

  it("adds a row per message that moved, not per message that was passed", () => {
    const ids = [..."abcdefgh"].map((id) => ({ id, digest: "1" }));
    const stored = apply([], ids);
    const [first, ...others] = ids;

    const moved = reconcile(liveMessages(stored), [...others, first ?? ids[0]] as Incoming[], {
      mayRemove: true,
    });

    expect(moved.map(({ kind }) => kind)).toEqual(["move"]);
  });

  it("leaves gaps for what a source may put in between", () => {
    const stored = apply(
      [],
      [
        { id: "a", digest: "1" },
        { id: "b", digest: "1" },
      ],
    );

    const incoming = ["a", "new", "b"].map((id) => ({ id, digest: "1" }));

    expect(reconcile(liveMessages(stored), incoming, { mayRemove: true })).toEqual([
      { kind: "insert", position: 1, ordinal: ordinalGap / 2n },
    ]);
  });

  it("moves the neighbour where no gap is left", () => {
    let ids = ["a", "z"];
    let stored = apply(
      [],
      ids.map((id) => ({ id, digest: "1" })),
    );
    for (let count = 0; count < 40; count++) {
      ids = ["a", `n${count}`, ...ids.slice(1)];
      stored = apply(
        stored,
        ids.map((id) => ({ id, digest: "1" })),
      );
    }

    expect(shown(stored).map(({ id }) => id)).toEqual(ids);
    expect(stored.length).toBeLessThan(150);
  });

  it("lets all readers agree where two writers made a revision at once", () => {
    const rows: StoredMessage[] = [
      { id: "a", ordinal: 0n, digest: "1", revises: null, revision: 0n },
      { id: "r1", ordinal: 0n, digest: "2", revises: "a", revision: 1n },
      { id: "r2", ordinal: 0n, digest: "3", revises: "a", revision: 1n },
    ];

    expect(liveMessages(rows)).toEqual(liveMessages(rows.toReversed()));
    expect(liveMessages(rows).get("a")?.digest).toBe("3");
  });
});
