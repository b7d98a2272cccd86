import { readFileSync } from "node:fs";
import { errorCodes } from "@pond/wire";
import { expect, test } from "vitest";
import { mappings } from "./errors.ts";
import { limitsOf as httpLimitsOf } from "./http/limits.ts";
import { busy, httpKinds } from "./http/refusals.ts";
import { limitsOf as handlerLimitsOf } from "./limits.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Rows of every table whose head begins with these words. */
function rowsOf(...head: string[]): string[][] {
  const tables = readme.split("\n\n").map((block) => block.split("\n").map(cellsOf));
  return tables
    .filter(([first = []]) => head.every((word, at) => first[at] === word))
    .flatMap((rows) => rows.slice(2));
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const wordsIn = (cell = ""): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, s: 1_000 };

/** "64 KiB", "10 s", "10,000" or "none" as a number. */
function numberOf(cell: string): number {
  if (cell === "none") return Number.POSITIVE_INFINITY;
  const [, digits = "", unit = ""] = /^([\d,]+) ?(\w*)$/.exec(cell) ?? [];
  return Number(digits.replaceAll(",", "")) * (units[unit] ?? 1);
}

test("the README names every limit with its default", () => {
  const said = rowsOf("Limit", "Default").map(
    ([name, value = ""]): [string | undefined, unknown] => {
      const numbers = value.split(" + ").map(numberOf);
      const [running, waiting] = numbers;
      return [wordsIn(name)[0], numbers.length === 2 ? { running, waiting } : running];
    },
  );
  const { concurrency, ...limits } = httpLimitsOf();
  const perKind = Object.entries(concurrency).map(
    ([kind, each]) => [`concurrency.${kind}`, each] as const,
  );

  expect(Object.fromEntries(said)).toEqual({
    ...handlerLimitsOf(),
    ...limits,
    ...Object.fromEntries(perKind),
  });
});

test("the README names every kind of refusal with its code", () => {
  const said = rowsOf("`details.kind`", "Code").flatMap(([kinds, code]) =>
    wordsIn(kinds).map((kind) => [kind, wordsIn(code)[0]] as const),
  );
  const mapped = Object.entries(mappings).filter(([kind, { code }]) => code !== kind);

  expect(said.map(([kind]) => kind).toSorted()).toEqual(
    [...httpKinds, ...mapped.map(([kind]) => kind)].toSorted(),
  );
  expect(Object.fromEntries(said)).toMatchObject(
    Object.fromEntries(mapped.map(([kind, { code }]) => [kind, code])),
  );
  expect(Object.fromEntries(said)).toMatchObject({ queue_full: busy("queue_full").code });
  expect(said.filter(([, code = ""]) => !Object.hasOwn(errorCodes, code))).toEqual([]);
});

test("the README names every code of the error table", () => {
  const codes = rowsOf("Code", "When").flatMap(([code]) => wordsIn(code));

  expect(codes.toSorted()).toEqual(Object.keys(errorCodes).toSorted());
});
