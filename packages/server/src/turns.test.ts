import { expect, test } from "vitest";
import { endTurns, runBesideTurns, runInTurn } from "./turns.ts";

test("runs the work on one key in turn, and goes on after a failure", async () => {
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
    runInTurn(key, undefined, work("a")),
    runInTurn(key, undefined, work("b")),
    runInTurn(key, undefined, work("c")),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(order).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("does not wait for work on another key", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = runInTurn({}, undefined, () => promise);

  await expect(runInTurn({}, undefined, async () => "done")).resolves.toBe("done");

  resolve();
  await waiting;
});

test("does not begin work that was aborted while it waited", async () => {
  const key = {};
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = runInTurn(key, undefined, () => promise);
  let isBegun = false;
  const turn = runInTurn(key, stop.signal, async () => {
    isBegun = true;
  });

  stop.abort(new Error("gone"));
  resolve();

  await before;
  await expect(turn).rejects.toThrow("gone");
  expect(isBegun).toBe(false);
});

test("runBesideTurns neither waits for turns nor holds them up", async () => {
  const key = {};
  const [turn, aside] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const inTurns = runInTurn(key, undefined, () => turn.promise);
  const beside = runBesideTurns(key, async () => {
    order.push("beside begins");
    await aside.promise;
    order.push("beside ends");
  });
  await new Promise(setImmediate);
  turn.resolve();
  await inTurns;
  await runInTurn(key, undefined, async () => void order.push("next turn"));
  aside.resolve();
  await beside;

  expect(order).toEqual(["beside begins", "next turn", "beside ends"]);
});

test("endTurns waits for all work, and lets nothing begin afterwards", async () => {
  const key = {};
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const failing = runBesideTurns(key, () => Promise.reject(new Error("beside")));
  const beside = runBesideTurns(key, async () => {
    await promise;
    order.push("beside");
  });
  const turn = runInTurn(key, undefined, async () => void order.push("turn"));
  const ended = endTurns(key).then(() => order.push("ended"));
  await expect(failing).rejects.toThrow("beside");
  await turn;
  resolve();
  await Promise.all([beside, ended]);
  await runBesideTurns(key, async () => void order.push("late"));

  expect(order).toEqual(["turn", "beside", "ended"]);
});
