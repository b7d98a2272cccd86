import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { differences } from "./compare.ts";
import { createHome, type Home } from "./pond.ts";
import { type Stored, storedRows } from "./rows.ts";
import { growthSeries } from "./sources.ts";

let stepwise: Home;
beforeEach(() => {
  stepwise = createHome();
});
afterEach(() => stepwise.remove());

/** What a store holds of one record. */
type Known = {
  /** The value first stored. */
  readonly first: string;
  /** The value last seen; "null" if the source no longer holds it. */
  readonly last: string;
};

const series = growthSeries();

if (series.length === 0) test.skip("sessions that grew are kept whole: there are none here");

test.each(series)(
  "$client: $session, synced step by step, keeps the records of every step (`adapter-integrity-additive-sync`)",
  async ({ client, file: place, states }) => {
    const source = join(stepwise.folder, "client");
    const file = join(source, place);
    mkdirSync(dirname(file), { recursive: true });
    const expected = new Map<string, Known>();

    for (const state of states) {
      cpSync(state, file);
      await stepwise.sync(source, client);
      const own = knownRecords(await storedAlone(source, client));
      for (const [id, { first }] of expected) expected.set(id, { first, last: "null" });
      for (const [id, { last }] of own) {
        expected.set(id, { first: expected.get(id)?.first ?? last, last });
      }
    }

    const stored = await storedRows(stepwise.storage);
    expect(stored.duplicates).toEqual([]);
    expect(knownRecords(stored)).toEqual(expected);
    expect(differences(source, await stepwise.restoreAll(client), client)).toEqual([]);
  },
);

/** What a home stores that saw no other state. */
async function storedAlone(source: string, client: string): Promise<Stored> {
  const home = createHome();
  try {
    const { code, stderr } = await home.pondHere("sync", client, "--path", source);
    if (code === 1) throw new Error(stderr);
    return await storedRows(home.storage);
  } finally {
    home.remove();
  }
}

function knownRecords({ rows }: Stored): Map<string, Known> {
  const messages = [...(rows.get("messages")?.values() ?? [])];
  const inOrder = messages.sort(
    (left, right) => Number(left["revision"]) - Number(right["revision"]),
  );
  const known = new Map<string, Known>();
  for (const { id = "", revises = "null", digest = "" } of inOrder) {
    // Data about the session itself is not part of its records.
    if (revises === "pond-revision:session") continue;
    const first = known.get(revises)?.first;
    if (first === undefined) known.set(id, { first: digest, last: digest });
    else known.set(revises, { first, last: digest });
  }
  return known;
}
