import { expect, it } from "vitest";
import { type Listed, ListedSessions } from "./listed-sessions.ts";
import { SeenSessions } from "./seen-sessions.ts";

const stored = { rows: { sessions: 0, messages: 0, parts: 0 }, holds: async () => false };

it("yields sessions in the order in which they were listed, whether seen before or not", async () => {
  const { listed } = await listing();

  expect([...listed]).toEqual([
    { key: "new", bytes: 1, isDue: true },
    { key: "grown", bytes: 2, isDue: true },
    { key: "same", bytes: 3, isDue: false },
    { key: "new too", bytes: 2 ** 40, isDue: true },
  ]);
  expect([listed.length, listed.bytes]).toEqual([4, 6 + 2 ** 40]);
  const all = [...listed];
  expect([...listed.taken()]).toEqual(all);
});

it("keeps the sessions that a callback returns, in their order", async () => {
  const { listed, seen } = await listing();
  const asked: Listed[] = [];
  listed.keep((each) => {
    asked.push(each);
    return each.isDue ? each : undefined;
  });

  expect(asked.map(({ number }) => number && seen.keyOf(number))).toEqual([
    undefined,
    "grown",
    "same",
    undefined,
  ]);
  expect(asked.map(({ isQuiet }) => isQuiet)).toEqual([false, false, true, false]);
  expect([...listed].map(({ key }) => key)).toEqual(["new", "grown", "new too"]);
  expect([listed.length, listed.bytes]).toEqual([3, 3 + 2 ** 40]);
});

async function listing(): Promise<{ listed: ListedSessions; seen: SeenSessions }> {
  const seen = await SeenSessions.load("none", { adapter: "demo", path: "/" }, { stored });
  for (const key of ["first", "same", "grown"]) seen.set(key, { fingerprint: "1" });
  const listed = new ListedSessions(seen);
  const add = (key: string, bytes: number, isDue: boolean, isQuiet = false): void =>
    listed.add(key, { number: seen.found(key)?.number, bytes, isDue, isQuiet });
  add("new", 1, true);
  add("grown", 2, true);
  add("same", 3, false, true);
  add("new too", 2 ** 40, true);
  return { listed, seen };
}
