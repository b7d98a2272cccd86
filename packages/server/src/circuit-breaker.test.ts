import type { Embedder } from "@pond/embed";
import { expect, test } from "vitest";
import { CircuitBreaker } from "./circuit-breaker.ts";

type Embed = Embedder["embed"];

const query = { kind: "query" } as const;
const answering: Embed = async () => [new Float32Array([1])];
const failing: Embed = async () => {
  throw new Error("it fails");
};
const silent: Embed = () => new Promise(() => {});
const heedful: Embed = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

/** A model behind a breaker, by a clock that stands still. */
class Model {
  nowMs = 0;
  asked = 0;
  answer: Embed;
  readonly breaker: CircuitBreaker;

  constructor(answer: Embed) {
    this.answer = answer;
    const embed: Embed = (texts, options) => {
      this.asked += 1;
      return this.answer(texts, options);
    };
    const limits = { maxTexts: 1, maxTokens: 9 };
    const embedder = { modelId: "m", dimension: 1, limits, embed, close: async () => undefined };
    this.breaker = new CircuitBreaker(embedder, () => this.nowMs);
  }

  ask(): ReturnType<Embed> {
    return this.breaker.embed(["x"], query);
  }

  /** A search that asks, and waits no longer. */
  async askInVain(name: "TimeoutError" | "AbortError"): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    void this.breaker.embed(["x"], { ...query, signal }).catch(() => undefined);
    controller.abort(new DOMException("no more time", name));
  }
}

test.each([
  ["ignores the abort", silent],
  ["heeds the abort", heedful],
])("queries fail at once for ten seconds after a timeout of a model that %s", async (_, late) => {
  const model = new Model(late);
  await model.askInVain("TimeoutError");

  model.nowMs = 9_999;
  await expect(model.ask()).rejects.toThrow("no more time");
  model.nowMs = 10_000;
  await model.askInVain("TimeoutError");
  await expect(model.ask()).rejects.toThrow("no more time");

  expect(model.asked).toBe(2);
});

test("one query tries the model again after the pause, and all do once it answers", async () => {
  const model = new Model(silent);
  await model.askInVain("TimeoutError");
  model.nowMs = 10_000;
  const answer = Promise.withResolvers<Float32Array[]>();
  model.answer = () => answer.promise;

  const trial = model.ask();
  await expect(model.ask()).rejects.toThrow("no more time");
  answer.resolve([]);
  await trial;
  await Promise.all([model.ask(), model.ask()]);

  expect(model.asked).toBe(4);
});

test("a query aborted by its client counts neither for nor against the model", async () => {
  const model = new Model(silent);
  await model.askInVain("AbortError");
  await model.askInVain("TimeoutError");
  model.nowMs = 10_000;
  await model.askInVain("AbortError");
  model.answer = answering;

  await expect(model.ask()).resolves.toHaveLength(1);

  expect(model.asked).toBe(4);
});

test("a model that fails at once after the pause is asked by every query again", async () => {
  const model = new Model(silent);
  await model.askInVain("TimeoutError");
  model.nowMs = 10_000;
  model.answer = failing;

  for (let at = 0; at < 3; at++) await expect(model.ask()).rejects.toThrow("it fails");

  expect(model.asked).toBe(4);
});
