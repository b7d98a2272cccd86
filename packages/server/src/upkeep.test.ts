import { setImmediate as turn } from "node:timers/promises";
import type { SessionStore } from "@pond/sessions";
import { ConflictError, type FoldOutcome } from "@pond/substrate";
import { describe, expect, test } from "vitest";
import { sessionOf, testPond, textMessage } from "./testing.ts";
import { endTurns, runInTurn } from "./turns.ts";
import { createUpkeep } from "./upkeep.ts";

test("folds keep fragments and rows that no index knows few through many small ingests", async () => {
  const failures: unknown[] = [];
  const pond = testPond({ onIndexUpdateFailed: (error) => failures.push(error) });
  for (let at = 0; at < 60; at += 1) {
    await pond.ask("ingest", { events: [sessionOf("s"), ...textMessage("s", at, `text ${at}`)] });
  }
  const sessions = await pond.namespaces.open(undefined, "write");
  await endTurns(sessions);

  const { messages, tables } = await pond.ask("status", {});

  expect(messages).toBe(60);
  // It looks every 20 ingests, and 24 fragments are worth a fold.
  for (const { fragments, indexes } of tables) {
    expect(fragments).toBeLessThan(24 + 20);
    for (const { unindexedRows } of indexes) expect(unindexedRows).toBeLessThan(24 + 20);
  }
  expect(tables.filter(({ indexes }) => indexes.length === 0)).toEqual([]);
  expect(failures).toEqual([]);
  await pond.remove();
});

test("a few long texts are indexed as soon as many short ones", async () => {
  const pond = testPond({ onIndexUpdateFailed: unexpected });
  const uncoveredTexts = async (): Promise<number | undefined> => {
    const { tables } = await pond.ask("status", {});
    const { indexes } = tables.find(({ name }) => name === "messages") ?? { indexes: [] };
    return indexes.find(({ column }) => column === "search_text")?.unindexedRows;
  };
  const many = Array.from({ length: 1_200 }, (_, at) => textMessage("many", at, `text ${at}`));
  const long = Array.from({ length: 8 }, (_, at) =>
    textMessage("long", at, "text ".repeat(60_000)),
  );
  await pond.ask("ingest", { events: [sessionOf("many"), ...many.flat()] });
  await expect.poll(uncoveredTexts, { timeout: 60_000 }).toBe(0);

  await pond.ask("ingest", { events: [sessionOf("long"), ...long.flat()] });

  await expect.poll(uncoveredTexts, { timeout: 60_000 }).toBe(0);
  await pond.remove();
});

type Fake = {
  readonly sessions: SessionStore;
  /** How often tables were folded. */
  folds(): number;
  /** Ends the fold that runs, which waits for it. */
  finish(error?: Error): Promise<void>;
};

/** A store of so many messages, whose folds end when they are told to. */
function fake(rows = 0): Fake {
  let folds = 0;
  let running = Promise.withResolvers<void>();
  const table = (name: string) => ({
    count: async () => rows,
    fold: async () => {
      const outcome: FoldOutcome = { table: name, created: [], isFolded: false };
      if (name !== "sessions") return outcome;
      folds += 1;
      await running.promise;
      return outcome;
    },
  });
  return {
    sessions: { store: { table } } as unknown as SessionStore,
    folds: () => folds,
    async finish(error) {
      const { resolve, reject } = running;
      running = Promise.withResolvers();
      if (error === undefined) resolve();
      else reject(error);
      await turn();
    },
  };
}

const patient = { quietMs: 1_000_000, holdMs: 1_000_000 };

function unexpected(error: unknown): never {
  throw error;
}

describe("upkeep", () => {
  test.each<[string, (readonly number[])[], number]>([
    ["few messages came", [[999]], 0],
    ["many messages came at once", [[1_000]], 1],
    ["many messages came in several ingests", [Array(5).fill(200)], 1],
    ["19 small ingests came", [Array(19).fill(1)], 0],
    ["20 small ingests came", [Array(20).fill(1)], 1],
    ["fewer messages than half the store came after a fold", [[4_000], [1_999]], 1],
    ["as many messages as half the store came after a fold", [[4_000], [2_000]], 2],
  ])("decides how often to fold when %s: %j", async (_, ingests, folds) => {
    const store = fake(4_000);
    const upkeep = createUpkeep(unexpected, patient);
    for (const together of ingests) {
      for (const messages of together) upkeep.stored(store.sessions, messages);
      await turn();
      await store.finish();
    }

    expect(store.folds()).toBe(folds);
  });

  test("folds a large store without waiting for half as many new messages", async () => {
    const store = fake(1_000_000);
    const upkeep = createUpkeep(unexpected, patient);
    upkeep.stored(store.sessions, 1_000);
    await turn();
    await store.finish();
    upkeep.stored(store.sessions, 10_000);
    await turn();

    expect(store.folds()).toBe(2);
  });

  test("folds for fewer messages once no more come", async () => {
    const store = fake(4_000);
    const upkeep = createUpkeep(unexpected, { quietMs: 0 });
    upkeep.stored(store.sessions, 4_000);
    await turn();
    await store.finish();
    upkeep.stored(store.sessions, 1_000);
    while (store.folds() < 2) await turn();
    await store.finish();
  });

  test("looks once, when it is quiet, at a store that was just opened", async () => {
    const [store, later] = [fake(4_000), fake()];
    const upkeep = createUpkeep(unexpected, { quietMs: 0 });
    upkeep.stored(store.sessions, 1);
    while (store.folds() < 1) await turn();
    await store.finish();
    upkeep.stored(store.sessions, 1);
    upkeep.stored(later.sessions, 1);
    while (later.folds() < 1) await turn();

    expect(store.folds()).toBe(1);
  });

  test("runs one fold at a time, and another for messages that came meanwhile", async () => {
    const store = fake();
    const upkeep = createUpkeep(unexpected, patient);
    for (let at = 0; at < 3; at += 1) upkeep.stored(store.sessions, 1_000);
    await turn();
    expect(store.folds()).toBe(1);

    await store.finish();
    expect(store.folds()).toBe(2);
  });

  test("holds up an ingest only when it is far behind", async () => {
    const store = fake();
    const upkeep = createUpkeep(unexpected, patient);
    upkeep.stored(store.sessions, 20_000);
    await upkeep.caughtUp(store.sessions);
    upkeep.stored(store.sessions, 10_000);
    let isCaughtUp = false;
    const waiting = upkeep.caughtUp(store.sessions).then(() => {
      isCaughtUp = true;
    });
    await turn();
    expect(isCaughtUp).toBe(false);

    await store.finish();
    await waiting;
  });

  test("holds up no ingest for longer than holdMs", async () => {
    const store = fake();
    const upkeep = createUpkeep(unexpected, { ...patient, holdMs: 0 });
    upkeep.stored(store.sessions, 1_000);
    upkeep.stored(store.sessions, 10_000);

    await upkeep.caughtUp(store.sessions);

    await store.finish();
    expect(store.folds()).toBe(2);
  });

  test("takes its turn among ingests after it lost a race to them", async () => {
    const store = fake();
    const upkeep = createUpkeep(unexpected, patient);
    const ingest = Promise.withResolvers<void>();
    const ingesting = runInTurn(store.sessions, undefined, () => ingest.promise);
    upkeep.stored(store.sessions, 1_000);
    await turn();
    await store.finish(new ConflictError("windows", 8));
    expect(store.folds()).toBe(1);

    ingest.resolve();
    await ingesting;
    while (store.folds() < 2) await turn();
    await store.finish();
  });

  test("reports a failed fold, holds up no ingest for it, and tries again", async () => {
    const store = fake();
    const failures: unknown[] = [];
    const upkeep = createUpkeep((error) => failures.push(error), patient);
    upkeep.stored(store.sessions, 1_000);
    upkeep.stored(store.sessions, 20_000);
    const waiting = upkeep.caughtUp(store.sessions);
    await turn();
    await store.finish(new Error("no space left"));
    await waiting;

    expect(failures).toEqual([new Error("no space left")]);
    expect(store.folds()).toBe(2);
  });
});
