import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { type DemoSession, ingestDemo, said, shown, withStore } from "../testing.ts";

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

it("takes them for one session where nobody asks for that (spec 7.6)", () =>
  withStore(async (sessions) => {
    const [, outcome] = await ingestDemo(sessions, [ofPi, ofOmp]);

    expect(outcome).toMatchObject({ session_id: "s", rejected: true, messages_added: 1 });
  }));
