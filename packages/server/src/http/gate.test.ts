import { expect, it } from "vitest";
import { Gate } from "./gate.ts";

const never = new AbortController().signal;

async function settled(promise: Promise<unknown>): Promise<string> {
  const late = Promise.resolve().then(() => Promise.resolve("waiting"));
  return Promise.race([
    promise.then(
      () => "in",
      (error: Error) => error.message,
    ),
    late.then(() => late),
  ]);
}

it("admits requests up to a bound, lets some more wait, and refuses the rest at once", async () => {
  const gate = new Gate({ running: 2, waiting: 1 });

  await gate.enter(never);
  await gate.enter(never);
  const third = gate.enter(never);

  expect(await settled(third)).toBe("waiting");
  expect(gate.isFull).toBe(true);
  await expect(gate.enter(never)).rejects.toMatchObject({
    code: "storage_unavailable",
    details: { kind: "queue_full" },
  });
});

it("gives a free place to the request that has waited longest", async () => {
  const gate = new Gate({ running: 1, waiting: 3 });
  const order: string[] = [];
  const leave = await gate.enter(never);
  const waiting = ["a", "b", "c"].map(async (name) => {
    const leaveNext = await gate.enter(never);
    order.push(name);
    leaveNext();
  });

  leave();
  await Promise.all(waiting);

  expect(order).toEqual(["a", "b", "c"]);
});

it("frees the waiting place of a request that is aborted", async () => {
  const gate = new Gate({ running: 1, waiting: 1 });
  const leave = await gate.enter(never);
  const controller = new AbortController();
  const gone = gate.enter(controller.signal);

  controller.abort(new Error("gone"));

  await expect(gone).rejects.toThrow("gone");
  expect(gate.isFull).toBe(false);
  const next = gate.enter(never);
  leave();
  expect(await next).toBeTypeOf("function");
});

it("frees a place only once, however often it is left", async () => {
  const gate = new Gate({ running: 1, waiting: 0 });
  const leave = await gate.enter(never);

  leave();
  leave();
  await gate.enter(never);

  await expect(gate.enter(never)).rejects.toMatchObject({ code: "storage_unavailable" });
});

it("gives no place to a request that is already aborted", async () => {
  const gate = new Gate({ running: 1, waiting: 0 });

  await expect(gate.enter(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  expect(await gate.enter(never)).toBeTypeOf("function");
});
