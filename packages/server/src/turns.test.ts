import { expect, test } from "vitest";
import { inTurn } from "./turns.ts";

test("runs one after the other, and the next one after a failure", async () => {
  const key = {};
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
    if (name === "b") throw new Error(name);
    return name;
  };

  const outcomes = await Promise.allSettled([
    inTurn(key, undefined, work("a")),
    inTurn(key, undefined, work("b")),
    inTurn(key, undefined, work("c")),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(order).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("does not wait for what runs on another key", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = inTurn({}, undefined, () => promise);

  await expect(inTurn({}, undefined, async () => "done")).resolves.toBe("done");

  resolve();
  await waiting;
});

test("does not begin what nobody waits for any more", async () => {
  const key = {};
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = inTurn(key, undefined, () => promise);
  let isBegun = false;
  const turn = inTurn(key, stop.signal, async () => {
    isBegun = true;
  });

  stop.abort(new Error("gone"));
  resolve();

  await before;
  await expect(turn).rejects.toThrow("gone");
  expect(isBegun).toBe(false);
});
