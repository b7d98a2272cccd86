import { rmSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { generateCorpus } from "../generated/corpus.ts";
import { Home } from "../shared/home.ts";
import { benchOf } from "./bench.ts";
import { type Contender, compare, ratioOf } from "./measure.ts";
import { queriesFrom } from "./queries.ts";
import { sqliteContenders } from "./sqlite.ts";

const home = new Home();
afterAll(() => rmSync(home.folder, { recursive: true, force: true }));
const corpus = generateCorpus(`${home.folder}/client`, { records: 300, recordsPerSession: 20 });

it("takes the same queries from the corpus every time", () => {
  const queries = queriesFrom(corpus.files);

  expect(queriesFrom(corpus.files)).toEqual(queries);
  expect(queries.map(({ texts }) => texts.length)).toEqual([1, 2, 1, 1]);
  expect(queries.flatMap(({ texts }) => texts).every((text) => text.length > 3)).toBe(true);
});

it("lets SQLite find something for every query, and count every session and project", async () => {
  const contenders = sqliteContenders(benchOf(home, corpus));

  const results = await compare(contenders, { runs: 1, tell: () => undefined });

  const found = new Map(
    results.map((result) => [`${result.operation}, ${result.kind}`, result.found]),
  );
  expect(results.filter((result) => result.found === 0)).toEqual([]);
  expect(found.get("list sessions, process")).toBe(corpus.files.length);
  expect(found.get("count by project, process")).toBe(Math.min(40, corpus.files.length));
  expect(found.get("search a phrase, open")).toBe(found.get("search a phrase, process"));
});

it("runs contenders in turn, one-time and slow ones only once, and rates each against the first of its kind", async () => {
  const asked: string[] = [];
  const contender = (tool: string, wallMs: number, more: Partial<Contender> = {}): Contender => ({
    ...{ operation: "search", tool, kind: "process", answers: "" },
    run: () => {
      asked.push(tool);
      return { wallMs, cpuMs: wallMs, found: 1 };
    },
    ...more,
  });
  const contenders = [
    contender("pond", 10),
    contender("other", 40),
    contender("long", 6_000),
    contender("import", 5, { isOnce: true }),
    contender("open", 2, { kind: "open" }),
  ];

  const results = await compare(contenders, { runs: 2, tell: () => undefined });

  expect(asked).toEqual(["pond", "other", "long", "import", "open", "pond", "other", "open"]);
  expect(results.map((result) => ratioOf(result, results))).toEqual([1, 4, 600, 0.5, 1]);
});
