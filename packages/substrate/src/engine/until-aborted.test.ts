import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { untilAborted } from "./until-aborted.ts";

it("returns the result of a call, also when the call ends soon after an abort", async () => {
  const controller = new AbortController();
  const call = async (): Promise<number> => {
    controller.abort();
    await sleep(20);
    return 7;
  };

  expect(await untilAborted(call, controller.signal)).toBe(7);
  expect(await untilAborted(async () => 8, undefined)).toBe(8);
  await expect(untilAborted(call, controller.signal)).rejects.toThrow(/abort/);
});

it.each([
  ["while it runs", (abort: () => void) => void setTimeout(abort, 5)],
  ["as it begins", (abort: () => void) => abort()],
])(
  "gives up soon on a call that goes on in spite of an abort: aborted %s",
  async (_when, begin) => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const startedMs = performance.now();
    const call = (): Promise<never> => {
      begin(() => controller.abort());
      return promise;
    };
    const running = untilAborted(call, controller.signal);

    await expect(running).rejects.toThrow(/abort/);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    // What becomes of it then is nobody's.
    reject(new Error("too late"));
    await sleep(1);
  },
);
