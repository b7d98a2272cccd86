import { expect, it, vi } from "vitest";
import { CallIds } from "./names.ts";

it("adds the first free number to a call id that was used before", () => {
  const ids = new CallIds();

  const names = ["call", "call-2", "call", "call", "call-3", "call", "call-2"].map((id) =>
    ids.next(id),
  );

  expect(names).toEqual(["call", "call-2", "call-3", "call-4", "call-3-2", "call-5", "call-2-2"]);
});

it("numbers calls that all have one id with few look-ups for each", () => {
  const ids = new CallIds();
  const looks = vi.spyOn(Set.prototype, "has");

  for (let call = 0; call < 1_000; call++) ids.next("call");

  const count = looks.mock.calls.length;
  looks.mockRestore();
  expect(count).toBeLessThan(3_000);
});
