import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { parseQuery } from "./query.ts";
import { textToEmbed } from "./query-vector.ts";

it.each([
  ["the whole query", 'why does "retry backoff" fail?', 'why does "retry backoff" fail?'],
  ["no excluded word", "retry -timeout now", "retry  now"],
  ["no excluded phrase", 'retry -"read timeout" -“write timeout” now', "retry  now"],
  ["words that merely contain an excluded one", "non-test code -test -tester", "non-test code"],
  ["no excluded word written in NFD", "retry -cafe\u0301 now", "retry  now"],
  ["no terminal colours", "\u001b[1mwalrus\u001b[0m or s\u001b[31mea\u001b[0ml", "walrus or seal"],
  ["a word that an excluded phrase would match as a pattern", 'a.c abc -"a.c" ok', "a.c abc  ok"],
])("embeds %s", (_, raw, expected) => {
  const text = textToEmbed(raw, parseQuery(raw));

  expect(text.replaceAll(/ +/g, " ")).toBe(expected.replaceAll(/ +/g, " "));
});

it("stops waiting for the model at the timeout, even if nothing else keeps the process alive", () => {
  const script = `
    import { queryVector } from ${JSON.stringify(new URL("query-vector.ts", import.meta.url))};
    const embed = () => new Promise(() => {});
    const asked = queryVector({ modelId: "m", dimension: 1, embed }, "x", { timeoutMs: 20 });
    await asked.catch(({ name }) => console.log(name));
  `;
  const argv = ["--conditions=@pond/source", "--input-type=module", "-e", script];
  const { status, stdout } = spawnSync(process.execPath, argv, { encoding: "utf8" });

  expect([status, stdout.trim()]).toEqual([0, "TimeoutError"]);
});
