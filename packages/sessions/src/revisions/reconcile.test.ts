import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Coverage, ordinalGap } from "./ordinals.ts";
import {
  type IncomingMessage,
  type LiveMessage,
  liveMessages,
  reconcile,
  type StoredMessage,
} from "./reconcile.ts";

type Options = { readonly mayRemove?: boolean; readonly coverage?: Coverage };

/** Stores what reconciling asks for, as ingest does. */
function apply(
  stored: readonly StoredMessage[],
  incoming: readonly IncomingMessage[],
  { mayRemove = true, coverage = "whole" }: Options = {},
): StoredMessage[] {
  const changes = reconcile(liveMessages(stored), incoming, { mayRemove, coverage });
  const added = changes.map((change): StoredMessage => {
    const {
      id = "",
      digest = "",
      timestamp = 0n,
    } = change.kind === "remove" ? {} : (incoming[change.position] ?? {});
    if (change.kind === "insert") {
      return { id, ordinal: change.ordinal, timestamp, digest, revises: null, revision: 0n };
    }
    const { previous } = change;
    const base = {
      timestamp,
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
function shown(stored: readonly StoredMessage[]): IncomingMessage[] {
  return [...liveMessages(stored).values()]
    .filter((message): message is LiveMessage & { digest: string } => message.digest !== null)
    .sort((left, right) => (left.ordinal < right.ordinal ? -1 : 1))
    .map(({ id, digest, timestamp }) => ({ id, digest, timestamp }));
}

/** As a source holds it whose records have no times of their own. */
const untimed = (id: string, digest = "1"): IncomingMessage => ({ id, digest, timestamp: 0n });

const state = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(..."abcdefghijkl"),
    digest: fc.constantFrom("1", "2", "3"),
    timestamp: fc.constant(0n),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
);

describe("reconcile", () => {
  it("shows exactly the last state in its order, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 6 }), (states) => {
        let stored: StoredMessage[] = [];
        for (const each of states) stored = apply(stored, each);

        expect(shown(stored)).toEqual(states.at(-1) ?? []);
      }),
    );
  });

  it("asks for no change when nothing changed", () => {
    fc.assert(
      fc.property(
        fc.array(state, { maxLength: 5 }),
        state,
        fc.boolean(),
        (states, last, mayRemove) => {
          let stored: StoredMessage[] = [];
          for (const each of states) stored = apply(stored, each, { mayRemove });
          stored = apply(stored, last, { mayRemove });

          const options = { mayRemove, coverage: "whole" } as const;
          expect(reconcile(liveMessages(stored), last, options)).toEqual([]);
        },
      ),
    );
  });

  it("keeps every row, and every message that only earlier states contained (`lance-append-only`)", () => {
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

  it("removes nothing if it may not, and still shows the incoming messages in their order", () => {
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

  it("adds a row for the message that moved, not for each message that it passed", () => {
    const ids = [..."abcdefgh"].map((id) => untimed(id));
    const stored = apply([], ids);
    const [first, ...others] = ids;

    const moved = reconcile(
      liveMessages(stored),
      [...others, first ?? ids[0]] as IncomingMessage[],
      {
        mayRemove: true,
        coverage: "whole",
      },
    );

    expect(moved.map(({ kind }) => kind)).toEqual(["move"]);
  });

  it("leaves gaps for messages that a source may insert", () => {
    const stored = apply([], [untimed("a"), untimed("b")]);

    const incoming = ["a", "new", "b"].map((id) => untimed(id));

    const options = { mayRemove: true, coverage: "whole" } as const;
    expect(reconcile(liveMessages(stored), incoming, options)).toEqual([
      { kind: "insert", position: 1, ordinal: ordinalGap / 2n },
    ]);
  });

  it("moves the neighbour when no gap is left", () => {
    let ids = ["a", "z"];
    let stored = apply(
      [],
      ids.map((id) => untimed(id)),
    );
    for (let count = 0; count < 40; count++) {
      ids = ["a", `n${count}`, ...ids.slice(1)];
      stored = apply(
        stored,
        ids.map((id) => untimed(id)),
      );
    }

    expect(shown(stored).map(({ id }) => id)).toEqual(ids);
    expect(stored.length).toBeLessThan(150);
  });

  it("lets all readers agree when two writers made a revision at once", () => {
    const rows: StoredMessage[] = [
      { id: "a", timestamp: 0n, ordinal: 0n, digest: "1", revises: null, revision: 0n },
      { id: "r1", timestamp: 0n, ordinal: 0n, digest: "2", revises: "a", revision: 1n },
      { id: "r2", timestamp: 0n, ordinal: 0n, digest: "3", revises: "a", revision: 1n },
    ];

    expect(liveMessages(rows)).toEqual(liveMessages(rows.toReversed()));
    expect(liveMessages(rows).get("a")?.digest).toBe("3");
  });
});

/** Ids of a source in its order, and how many of them each batch holds. */
const source = [..."abcdefghijklmnopqrst"];
const cuts = fc.array(fc.integer({ min: 1, max: 5 }), {
  minLength: source.length,
  maxLength: source.length,
});
const ascending = fc.array(fc.integer({ min: 1, max: 3 }), {
  minLength: source.length,
  maxLength: source.length,
});
const anyTimes = fc.array(fc.nat({ max: 9 }), {
  minLength: source.length,
  maxLength: source.length,
});

/** The source's messages, so far apart in time. */
function timed(steps: readonly number[]): IncomingMessage[] {
  let time = 0n;
  return source.map((id, at) => {
    time += BigInt(steps[at] ?? 0);
    return { id, digest: "1", timestamp: time };
  });
}

/** What a client sends: cut so, with the messages beside each cut in both batches. */
function batchesOf(
  messages: readonly IncomingMessage[],
  sizes: readonly number[],
): IncomingMessage[][] {
  const batches: IncomingMessage[][] = [];
  for (let from = 0, at = 0; from < messages.length; at++) {
    const to = from + (sizes[at] ?? 1);
    batches.push(messages.slice(Math.max(0, from - 1), to + 1));
    from = to;
  }
  return batches;
}

const ofBatch = { mayRemove: false, coverage: "part" } as const;

function sent(
  stored: readonly StoredMessage[],
  batches: readonly IncomingMessage[][],
): StoredMessage[] {
  return batches.reduce((rows, batch) => apply(rows, batch, ofBatch), [...stored]);
}

describe("reconcile of a session that is read in several commits", () => {
  it("puts missing messages in their place at once, also when messages share a time", () => {
    const steps = fc.array(fc.nat({ max: 1 }), {
      minLength: source.length,
      maxLength: source.length,
    });
    fc.assert(
      fc.property(fc.subarray(source), steps, cuts, (kept, times, sizes) => {
        const messages = timed(times);
        let stored = apply(
          [],
          messages.filter(({ id }) => kept.includes(id)),
        );

        for (let from = 0, at = 0; from < source.length; at++) {
          const to = from + (sizes[at] ?? 1);
          const coverage = from === 0 ? "beginning" : "middle";
          const read = messages.slice(Math.max(0, from - 1), to);
          stored = apply(stored, read, { mayRemove: false, coverage });
          from = to;
        }

        expect(shown(stored)).toEqual(messages);
        expect(stored.filter(({ revises }) => revises !== null)).toEqual([]);
        expect(apply(stored, messages)).toEqual(stored);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("reconcile of a session that comes in batches", () => {
  it("puts missing messages in their place at once, however many are in a row", () => {
    fc.assert(
      fc.property(fc.subarray(source), ascending, cuts, (kept, steps, sizes) => {
        const messages = timed(steps);
        const batches = batchesOf(messages, sizes);
        const stored = apply(
          [],
          messages.filter(({ id }) => kept.includes(id)),
        );

        const all = sent(stored, batches);

        expect(shown(all)).toEqual(messages);
        // Where nothing of the first batch is stored, it may as well be what comes behind all.
        const isAnchored = kept.length === 0 || batches[0]?.some(({ id }) => kept.includes(id));
        if (isAnchored) expect(all.filter(({ revises }) => revises !== null)).toEqual([]);
        expect(sent(all, batches)).toEqual(all);
      }),
      { numRuns: 1000 },
    );
  });

  it("shows messages in the source's order, whatever was stored and at whatever times", () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 4 }), anyTimes, cuts, (states, times, sizes) => {
        const messages = source.map((id, at) => ({
          ...{ id, digest: "1" },
          timestamp: BigInt(times[at] ?? 0),
        }));
        let stored: StoredMessage[] = [];
        for (const each of states) stored = apply(stored, each);

        const all = sent(stored, batchesOf(messages, sizes));

        expect(shown(all).map(({ id }) => id)).toEqual(source);
        expect(sent(all, batchesOf(messages, sizes.toReversed()))).toEqual(all);
      }),
      { numRuns: 1000 },
    );
  });
});
