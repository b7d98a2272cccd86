import { expect, it } from "vitest";
import { readAhead } from "./read-ahead.ts";

/** Notes what is made and used, in that order. */
function noted(count: number, failing?: number) {
  const notes: string[] = [];
  async function* items(): AsyncGenerator<number> {
    try {
      for (let item = 0; item < count; item++) {
        notes.push(`make ${item}`);
        await new Promise(setImmediate);
        if (item === failing) throw new Error(`no ${item}`);
        yield item;
      }
    } finally {
      notes.push("closed");
    }
  }
  return { notes, items };
}

it("produces the next item while the current one is used", async () => {
  const { notes, items } = noted(3);

  for await (const item of readAhead(items())) notes.push(`use ${item}`);

  expect(notes.slice(0, 5)).toEqual(["make 0", "make 1", "use 0", "make 2", "use 1"]);
  expect(notes.slice(5).sort()).toEqual(["closed", "use 2"]);
});

it("produces no further item while a large one is used", async () => {
  const { notes, items } = noted(3);

  for await (const item of readAhead(items(), (each) => each === 1)) notes.push(`use ${item}`);

  const made = notes.indexOf("make 2");
  expect(notes.indexOf("use 1")).toBeLessThan(made);
  expect(notes.filter((note) => note.startsWith("use"))).toEqual(["use 0", "use 1", "use 2"]);
});

it("yields the items before an error, then throws the error", async () => {
  const { notes, items } = noted(3, 1);
  const used: number[] = [];

  const reading = async (): Promise<void> => {
    for await (const item of readAhead(items())) {
      await new Promise(setImmediate);
      used.push(item);
    }
  };

  await expect(reading()).rejects.toThrow("no 1");
  expect(used).toEqual([0]);
  expect(notes.at(-1)).toBe("closed");
});

it("closes its source when the consumer stops early, even if the next item fails", async () => {
  const { notes, items } = noted(3, 1);

  for await (const item of readAhead(items())) {
    notes.push(`use ${item}`);
    break;
  }

  expect(notes).toEqual(["make 0", "make 1", "use 0", "closed"]);
});
