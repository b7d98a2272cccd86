import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { untilAborted } from "./until-aborted.ts";

it("gives what a call gives, also one that ends soon after it was aborted", async () => {
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
  ["later", (abort: () => void) => void setTimeout(abort, 5)],
  ["as it begins", (abort: () => void) => abort()],
])("waits no longer than a second for a call that goes on, aborted %s", async (_when, begin) => {
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
});
