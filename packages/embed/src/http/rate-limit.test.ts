import { expect, it } from "vitest";
import type { Clock } from "../retry.ts";
import { createRateLimit } from "./rate-limit.ts";

/** Time that stands still: sleeping ends where somebody aborts it. */
class StoppedClock implements Clock {
  readonly slept: number[] = [];
  time = 1_000_000;

  now(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(ms);
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  }

  random(): number {
    return 1;
  }
}

const perMinute = 60;
const afterMs = 500;

it("gives the turns of callers that gave up to later callers", async () => {
  const clock = new StoppedClock();
  const awaitTurn = createRateLimit(perMinute, clock);
  const [patient, impatient] = [new AbortController(), new AbortController()];

  await awaitTurn();
  const waiting = [patient, impatient, impatient, patient].map(({ signal }) => awaitTurn(signal));
  const settled = Promise.allSettled(waiting);
  impatient.abort(new Error("enough"));
  await Promise.allSettled(waiting.slice(1, 3));
  clock.time += afterMs;
  const later = [1, 2, 3].map(() => awaitTurn(patient.signal));

  expect(clock.slept).toEqual([1_000, 2_000, 3_000, 4_000, 1_500, 2_500, 4_500]);
  patient.abort(new Error("the end"));
  await Promise.allSettled([settled, ...later]);
});

it("gives no turn whose time has passed", async () => {
  const clock = new StoppedClock();
  const awaitTurn = createRateLimit(perMinute, clock);
  const impatient = new AbortController();

  await awaitTurn();
  const waiting = awaitTurn(impatient.signal);
  impatient.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  clock.time += 10_000;
  await awaitTurn();
  void awaitTurn();

  expect(clock.slept).toEqual([1_000, 1_000]);
});
