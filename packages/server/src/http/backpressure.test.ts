import { describe, expect, it } from "vitest";
import { type Answer, answering, post, send, withServer } from "./testing.ts";

const search = post("/v1/search", "{}");
const get = post("/v1/get", "{}");
const concurrency = { search: { running: 2, waiting: 3 } };

/** Handlers that hold every search until they are let go, and count them. */
function held() {
  const finish = Promise.withResolvers<object>();
  const counts = { running: 0, most: 0 };
  const handlers = answering(async (operation) => {
    if (operation !== "search") return {};
    counts.running += 1;
    counts.most = Math.max(counts.most, counts.running);
    await finish.promise;
    counts.running -= 1;
    return {};
  });
  return { handlers, counts, finish: () => finish.resolve({}) };
}

describe("too many requests of one kind", () => {
  it("run and wait up to a bound, and the rest are refused with 503 and Retry-After", async () => {
    const { handlers, counts, finish } = held();
    const seen = await withServer({ handlers, limits: { concurrency } }, async ({ port }) => {
      const refused: Answer[] = [];
      const someRefused = Promise.withResolvers<void>();
      const all = Array.from({ length: 9 }, async () => {
        const answer = await send(port, search);
        if (answer.status !== 200) refused.push(answer);
        if (refused.length === 4) someRefused.resolve();
        return answer.status;
      });
      await someRefused.promise;
      const other = await send(port, get);
      finish();
      return { statuses: await Promise.all(all), refused, other, last: await send(port, search) };
    });

    expect(seen.statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 503, 503, 503, 503]);
    expect(seen.refused[0]).toMatchObject({ code: "storage_unavailable", kind: "queue_full" });
    expect(seen.refused[0]?.headers["retry-after"]).toBe("1");
    expect(seen.other.status).toBe(200);
    expect(seen.last.status).toBe(200);
    expect(counts.most).toBe(2);
  });

  it("are refused before they send a body", async () => {
    const { handlers, counts, finish } = held();
    const none = { search: { running: 1, waiting: 0 } };
    const answer = await withServer(
      { handlers, limits: { concurrency: none } },
      async ({ port }) => {
        const first = send(port, search);
        await until(() => counts.running === 1);
        const answer = await send(port, post("/v1/search", "", { "content-length": "60000" }));
        finish();
        await first;
        return answer;
      },
    );

    expect(answer).toMatchObject({ status: 503, kind: "queue_full" });
  });
});

it("holds only so many bytes of request bodies, and refuses more", async () => {
  const { handlers, counts, finish } = held();
  const padded = post("/v1/search", `{}${" ".repeat(900)}`);
  const answers = await withServer(
    { handlers, limits: { maxHeldBytes: 2_000 } },
    async ({ port }) => {
      const first = [send(port, padded), send(port, padded)];
      await until(() => counts.running === 2);
      const third = await send(port, padded);
      finish();
      await Promise.all(first);
      return [third, await send(port, padded)];
    },
  );

  expect(answers).toMatchObject([
    { status: 503, code: "storage_unavailable", kind: "bodies_held" },
    { status: 200 },
  ]);
});

it("gives up on an answer that takes too long, and keeps its place until the work ends", async () => {
  const { handlers, counts, finish } = held();
  const limits = { answerTimeoutMs: 100, concurrency: { search: { running: 1, waiting: 0 } } };
  const answers = await withServer({ handlers, limits }, async ({ port }) => {
    const late = await send(port, search);
    const full = await send(port, search);
    finish();
    await until(() => counts.running === 0);
    return [late, full, await send(port, search)];
  });

  expect(answers).toMatchObject([
    { status: 503, code: "storage_unavailable", kind: "timeout" },
    { status: 503, code: "storage_unavailable", kind: "queue_full" },
    { status: 200 },
  ]);
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
