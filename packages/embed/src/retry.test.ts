import { describe, expect, it } from "vitest";
import { type Attempt, retry, retryAfterMs, systemClock } from "./retry.ts";
import { TestClock } from "./testing.ts";

const failure: Attempt<never> = { ok: false, reason: "busy", isTransient: true };
const policy = { attempts: 8, maxWaitMs: 120_000 };

describe("retry", () => {
  it.each<[string, Attempt<string>[], number, number[]]>([
    ["stops after a success", [failure, { ok: true, value: "yes" }, failure], 2, [500]],
    ["stops after a final failure", [{ ...failure, isTransient: false }, failure], 1, []],
    [
      "waits as long as the server says",
      [
        { ...failure, retryAfterMs: 7 },
        { ok: true, value: "" },
      ],
      2,
      [7],
    ],
    [
      "stops if the server demands too long a wait",
      [{ ...failure, retryAfterMs: 120_001 }, failure],
      1,
      [],
    ],
    [
      "gives up after eight attempts",
      Array(9).fill(failure),
      8,
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000],
    ],
  ])("%s", async (_, outcomes, attempts, slept) => {
    const clock = new TestClock();
    const left = outcomes.values();

    const result = await retry(async () => left.next().value ?? failure, policy, clock);

    expect(result).toEqual({ outcome: outcomes[attempts - 1], attempts });
    expect(clock.slept).toEqual(slept);
  });

  it("ends during a pause when aborted", async () => {
    const abort = new AbortController();
    const running = retry(
      async () => {
        queueMicrotask(() => abort.abort(new Error("enough")));
        return { ...failure, retryAfterMs: 100_000 };
      },
      policy,
      systemClock,
      { signal: abort.signal },
    );

    await expect(running).rejects.toThrow("enough");
  });
});

it.each([
  ["7", 7000],
  ["0", 0],
  [new Date(1_005_000).toUTCString(), 5000],
  [new Date(1000).toUTCString(), 0],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
  [["1", "2"], undefined],
])("reads Retry-After: %s", (header, ms) => {
  expect(retryAfterMs(header, new TestClock())).toBe(ms);
});
