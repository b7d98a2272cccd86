import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { categories, ownSet } from "./retrieval/own.ts";
import { byCategory } from "./retrieval/own-report.ts";
import { pond } from "./retrieval/pond.ts";
import { type AnsweredQuestion, askAll, scoreOf } from "./retrieval/score.ts";
import { openHaystack } from "./retrieval/store.ts";

// Our own set alone, by words only: written as files of the clients, read and synced for real.
let folder: string;
let asked: ReadonlyMap<string | undefined, readonly AnsweredQuestion[]>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pond-retrieval-"));
  const own = ownSet();
  const haystack = await openHaystack([own], folder);
  asked = byCategory(await askAll(own.questions, pond(haystack.sessions), haystack));
  haystack.sessions.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("finds something for every question that is not across languages", () => {
  // A question in another language may share no word with anything.
  const own = [...asked].filter(([category]) => category !== "across languages");
  const nothing = own.flatMap(([, each]) => each).filter(({ sessions }) => sessions.length === 0);

  expect(nothing.map(({ question }) => question.text)).toEqual([]);
});

it("lists each session once, its sub-agents included", () => {
  const twice = [...asked.values()].flat().filter(({ sessions }) => {
    return new Set(sessions).size < sessions.length;
  });

  expect(twice.map(({ question }) => question.text)).toEqual([]);
});

it.each([...categories])(
  "answers questions of the category %s at least as well as before",
  (category, { hit1, hit5 }) => {
    const own = asked.get(category) ?? [];

    const score = scoreOf(own);

    const late = own.filter(({ rank }) => rank !== 1);
    const missed = late.map(({ question, rank, sessions }) => ({
      ...{ query: question.text, rank, first: sessions[0] },
    }));
    expect(own.length).toBeGreaterThan(0);
    expect({ hit1: score.hit1 >= hit1, hit5: score.hit5 >= hit5, missed }).toEqual({
      ...{ hit1: true, hit5: true, missed },
    });
  },
);
