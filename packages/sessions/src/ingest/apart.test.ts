import { eq } from "@pond/substrate";
import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  type DemoSession,
  demoEvents,
  ingestDemo,
  said,
  shown,
  streamOf,
  withStore,
} from "../testing.ts";
import { createIngest } from "./ingest.ts";
import type { IngestOutcome } from "./outcome.ts";

const apart = { areClientsApart: true };
const shared = [said("a"), said("b")];
const ofPi: DemoSession = { id: "s", agent: "pi", messages: [...shared, said("in pi")] };
const ofOmp: DemoSession = { id: "s", agent: "omp", messages: [...shared, said("in omp")] };
const below: DemoSession = { id: "t", agent: "omp", parent: "s", messages: [said("c")] };

async function sessionsIn({ store }: SessionStore): Promise<unknown[]> {
  const columns = ["id", "source_agent", "parent_session_id"];
  const rows = await store.table("sessions").rows({ columns });
  return rows.map((row) => columns.map((column) => row[column])).sort();
}

it("keeps sessions of two clients apart that have one id, as of a copied folder", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi], apart);

    const outcomes = await ingestDemo(sessions, [ofOmp, below], apart);

    expect(outcomes).toMatchObject([
      { session_id: "omp:s", status: "new", messages_added: 3, rejected: false },
      { session_id: "t", status: "new" },
    ]);
    expect(await sessionsIn(sessions)).toEqual([
      ["omp:s", "omp", null],
      ["s", "pi", null],
      ["t", "omp", "omp:s"],
    ]);
    expect(await shown(sessions, "s")).toEqual([
      "a: This is a.",
      "b: This is b.",
      "in pi: This is in pi.",
    ]);
    expect(await shown(sessions, "omp:s")).toEqual([
      ...["a: This is a.", "b: This is b.", "in omp: This is in omp."],
    ]);
  }));

it("knows them again, and what became of them", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi, ofOmp], apart);

    const again = await ingestDemo(sessions, [ofOmp, ofPi], apart);
    const grown = { ...ofOmp, messages: [...shared, said("in omp", "Anew."), said("more")] };
    const later = await ingestDemo(sessions, [grown], apart);

    expect(again.map(({ session_id, status }) => [session_id, status])).toEqual([
      ["omp:s", "unchanged"],
      ["s", "unchanged"],
    ]);
    expect(later).toMatchObject([{ session_id: "omp:s", messages_added: 1, revisions: 1 }]);
    expect(await shown(sessions, "omp:s")).toContain("in omp: Anew.");
    expect(await shown(sessions, "s")).toHaveLength(3);
  }));

it("hangs a copied fork below its copied parent, whichever comes first", () =>
  withStore(async (sessions) => {
    const fork = (agent: string): DemoSession => ({
      id: "f",
      agent,
      parent: "s",
      messages: shared,
    });
    await ingestDemo(sessions, [fork("pi"), ofPi, fork("omp"), ofOmp], apart);

    expect(await sessionsIn(sessions)).toEqual([
      ["f", "pi", "s"],
      ["omp:f", "omp", "omp:s"],
      ["omp:s", "omp", null],
      ["s", "pi", null],
    ]);
  }));

it("puts off what another client stores of its own while it is read", () =>
  withStore(async (sessions) => {
    const outcomes: IngestOutcome[] = [];
    const hooks = {
      isUnchanged: async () => true,
      onCommitted: (outcome: IngestOutcome) => void outcomes.push(outcome),
    };
    const [one, two] = [1, 2].map((at) =>
      createIngest(sessions, { ...apart, now: () => new Date(at) }),
    );
    const other: DemoSession = { id: "other", agent: "omp", messages: [said("d")] };
    await one?.session(streamOf(demoEvents(ofPi)), hooks);
    for (const demo of [ofOmp, other]) await two?.session(streamOf(demoEvents(demo)), hooks);
    await one?.finish();
    await two?.finish();

    expect(outcomes).toMatchObject([
      { session_id: "s", status: "new", deferred: 0 },
      { session_id: undefined, status: "unchanged", messages_added: 0, deferred: 1 },
      { session_id: "other", status: "new", messages_added: 1 },
    ]);
    expect(await shown(sessions, "s")).toHaveLength(3);
    const windows = sessions.store.table("windows");
    const where = eq("session_id", "s");
    const texts = (await windows.rows({ columns: ["text"], where })).map(({ text }) => text);
    expect(String(texts)).toContain("pi");
    expect(String(texts)).not.toContain("omp");

    await ingestDemo(sessions, [ofOmp], apart);

    expect(await shown(sessions, "omp:s")).toHaveLength(3);
    expect(await shown(sessions, "s")).toHaveLength(3);
  }));

it("takes apart what stands in the session of another client, and nothing else", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi, ofOmp]);
    await ingestDemo(sessions, [{ ...ofPi, messages: [...shared, said("in pi"), said("more")] }], {
      addsOnly: true,
    });
    await ingestDemo(sessions, [ofOmp], apart);

    const [outcome] = await ingestDemo(sessions, [ofPi], { ...apart, addsOnly: true });

    expect(outcome).toMatchObject({ tombstones: 1 });
    const texts = await shown(sessions, "s");
    expect(texts.map((text) => text.split(":")[0]).sort()).toEqual(["a", "b", "in pi", "more"]);
    expect(await shown(sessions, "omp:s")).toHaveLength(3);
  }));

it("takes them for one session where nobody asks for that (spec 7.6)", () =>
  withStore(async (sessions) => {
    const [, outcome] = await ingestDemo(sessions, [ofPi, ofOmp]);

    expect(outcome).toMatchObject({ session_id: "s", rejected: true, messages_added: 1 });
  }));
