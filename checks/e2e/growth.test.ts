import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { differences } from "./compare.ts";
import { createHome, type Home } from "./pond.ts";
import { type Stored, storedRows } from "./rows.ts";
import { growthSeries } from "./sources.ts";

let stepwise: Home;
let alone: Home;
beforeEach(() => {
  stepwise = createHome();
  alone = createHome();
});
afterEach(() => {
  stepwise.remove();
  alone.remove();
});

/** What a store knows of one record. */
type Known = {
  /** The value first stored. */
  readonly first: string;
  /** The value last seen; "null" where the source no longer holds it. */
  readonly last: string;
};

test.skipIf(growthSeries().length === 0).each(growthSeries())(
  "$session, synced step by step, holds what every state held (`adapter-integrity-additive-sync`)",
  async ({ session, states }) => {
    const source = join(stepwise.folder, "client");
    const file = join(source, "projects", "-work-app", `${session}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    const expected = new Map<string, Known>();

    for (const state of states) {
      cpSync(state, file);
      await stepwise.sync(source);
      await alone.sync(source);
      const own = knownRecords(await storedRows(alone.storage));
      alone.reset();
      for (const [id, { first }] of expected) expected.set(id, { first, last: "null" });
      for (const [id, { last }] of own) {
        expected.set(id, { first: expected.get(id)?.first ?? last, last });
      }
    }

    const stored = await storedRows(stepwise.storage);
    expect(stored.duplicates).toEqual([]);
    expect(knownRecords(stored)).toEqual(expected);
    expect(differences(source, await stepwise.restoreAll())).toEqual([]);
  },
);

function knownRecords({ rows }: Stored): Map<string, Known> {
  const messages = [...(rows.get("messages")?.values() ?? [])];
  const inOrder = messages.sort(
    (left, right) => Number(left["revision"]) - Number(right["revision"]),
  );
  const known = new Map<string, Known>();
  for (const { id = "", revises = "null", digest = "" } of inOrder) {
    const first = known.get(revises)?.first;
    if (first === undefined) known.set(id, { first: digest, last: digest });
    else known.set(revises, { first, last: digest });
  }
  return known;
}
