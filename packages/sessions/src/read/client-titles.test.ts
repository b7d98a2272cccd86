import { expect, it } from "vitest";
import { loadLineage } from "../restore/lineage.ts";
import { type DemoMessage, ingestDemo, said, withAltered, withStore } from "../testing.ts";
import { clientTitles } from "./client-titles.ts";
import { titles } from "./titles.ts";

const chosen = (id: string, customTitle: string): DemoMessage => ({
  id,
  role: "carrier",
  options: { type: "custom-title", customTitle },
});
const header = (title: string): DemoMessage => ({
  id: "header",
  role: "carrier",
  options: { type: "session", title },
});
const talk = [said("a", "Begin."), said("b", "Go on.")];

it("gives a session its client's title, or else what was said first", () =>
  withStore(async (sessions) => {
    const long = "x".repeat(200);
    await ingestDemo(sessions, [
      { id: "named", messages: [...talk, chosen("t1", "first name"), chosen("t2", "last name")] },
      { id: "nameless", messages: talk },
      { id: "long", messages: [chosen("t", long), ...talk] },
      { id: "silent", messages: [{ id: "c", role: "carrier" }] },
    ]);
    const ids = ["named", "nameless", "long", "silent", "unknown"];

    const found = await titles(sessions, ids);

    expect([...found].sort()).toEqual([
      ["long", `${"x".repeat(120)}…`],
      ["named", "last name"],
      ["nameless", "Begin."],
    ]);
    expect((await clientTitles(sessions.store, ids)).get("long")).toBe(long);
  }));

it("follows a title that is rewritten, and one that is gone", () =>
  withStore(async (sessions) => {
    const title = async () => (await titles(sessions, ["s"])).get("s");
    const seen: (string | undefined)[] = [];
    for (const messages of [
      [header(""), ...talk],
      [header("Rounding eggs"), ...talk],
      [header("Rounding more eggs"), ...talk],
      [header("Rounding more eggs"), ...talk, chosen("t", "eggs")],
      [header("Rounding more eggs"), ...talk],
      talk,
    ]) {
      await ingestDemo(sessions, [{ id: "s", messages }]);
      seen.push(await title());
    }

    expect(seen).toEqual([
      ...["Begin.", "Rounding eggs", "Rounding more eggs"],
      ...["eggs", "Rounding more eggs", "Begin."],
    ]);
  }));

const bare: DemoMessage = { id: "header", role: "carrier", options: { type: "session" } };
const [one, two] = [chosen("one", "One"), chosen("two", "Two")];

it.each<[string, readonly (readonly DemoMessage[])[], string]>([
  ["comes back after it was gone", [[header("Eggs")], [], [header("Eggs")]], "Eggs"],
  ["is removed from its record", [[header("Eggs")], [bare]], "Begin."],
  [
    "moves behind another",
    [
      [one, two],
      [two, one],
    ],
    "One",
  ],
])("follows a title that %s", (_, states, title) =>
  withStore(async (sessions) => {
    for (const state of states) {
      await ingestDemo(sessions, [{ id: "s", messages: [...state, ...talk] }]);
    }

    expect((await titles(sessions, ["s"])).get("s")).toBe(title);
  }),
);

it("agrees with the shown title when writers raced, whoever was first", () =>
  withAltered(
    ["", "one", "other"].map((title) => ({ id: "s", messages: [header(title), ...talk] })),
    // As if both had followed the first.
    (_, row) => (row["revises"] === "header" ? { ...row, revision: 1n } : row),
    async (raced) => {
      const { root } = await loadLineage(raced, "s");

      const [shown] = root.messages;
      const title = (await clientTitles(raced.store, ["s"])).get("s");
      expect(shown?.options).toMatchObject({ source: { record: { title } } });
    },
  ));

it("does not take another kind of record for a title", () =>
  withStore(async (sessions) => {
    const page: DemoMessage = { id: "p", role: "carrier", options: { type: "page", title: "no" } };
    await ingestDemo(sessions, [{ id: "s", messages: [page, said("a", '{"customTitle":"no"}')] }]);

    expect((await clientTitles(sessions.store, ["s"])).size).toBe(0);
  }));
