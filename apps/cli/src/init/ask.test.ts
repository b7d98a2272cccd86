import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createAsker, parseNumbers } from "./ask.ts";

describe("parseNumbers", () => {
  it.each([
    ["", [0, 2]],
    ["1", [0]],
    ["3, 1", [0, 2]],
    ["2 2", [1]],
    ["all", [0, 1, 2]],
    ["none", []],
    ["0", undefined],
    ["4", undefined],
    ["1.5", undefined],
    ["codex", undefined],
    [",", undefined],
  ])("reads %j", (answer, expected) => {
    expect(parseNumbers(answer, 3, [0, 2])).toEqual(expected);
  });
});

describe("an asker", () => {
  const typing = async (...lines: readonly string[]) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const asker = createAsker({ input, output, columns: 80 });
    // A line at a time, as somebody types: an answer is given to a question that was asked.
    output.on("data", (chunk) => {
      const next = /[\]?] $/.test(String(chunk)) ? lines[answered++] : undefined;
      if (next !== undefined) input.write(`${next}\n`);
    });
    let answered = 0;
    return { asker, input };
  };

  it.each([
    [[""], true],
    [["y"], true],
    [["Yes"], true],
    [["n"], false],
    [["what?", "no"], false],
  ])("reads the answers %j as %j", async (lines, expected) => {
    const { asker } = await typing(...lines);

    expect(await asker.confirm("Really?")).toBe(expected);
    asker.close();
  });

  it("asks again until it gets numbers", async () => {
    const { asker } = await typing("seven", "2");

    expect(await asker.choose("Which? [1]", 2, [0])).toEqual([1]);
    asker.close();
  });

  it("aborts as for Ctrl-C when nobody answers any more", async () => {
    const { asker, input } = await typing();
    const answer = asker.confirm("Really?");

    input.end();

    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });
});
