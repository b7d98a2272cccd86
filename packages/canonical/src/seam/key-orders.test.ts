import { describe, expect, it } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "../json.ts";
import { isDerivedFrom } from "./derived.ts";
import { KeyOrders } from "./key-orders.ts";
import { digestOf } from "./source-record.ts";

const object = (json: string): JsonObject => parseJson(json) as JsonObject;

/** The record with `name` and each `text` taken and put back, by the id it had. */
function restoredFrom(json: string, orders: KeyOrders = new KeyOrders()): string {
  const record = object(json);
  const id = digestOf(record);
  const { name, blocks, ...left } = record;
  const restore = (): JsonObject => {
    const own = (blocks as readonly JsonObject[]).map(({ text, ...rest }) =>
      orders.join(rest, { text: text ?? "" }),
    );
    return orders.join(left, { name: name ?? "", blocks: own });
  };
  const restored = orders.restored(restore, (other) => isDerivedFrom(id, other));
  return stringifyJson(restored ?? null);
}

describe("restored records have their keys in the order that their ids were derived from", () => {
  it.each([
    '{"type":"a","name":"x","blocks":[]}',
    '{"name":"x","type":"a","blocks":[],"at":1}',
    '{"blocks":[{"text":"a","type":"b"},{"text":"c","type":"b"}],"at":1,"name":"x","type":"a"}',
    '{"at":1,"blocks":[{"text":"a","type":"b"},{"size":1,"text":"c","type":"b"}],"name":"x"}',
    '{"__proto__":1,"name":"x","constructor":{},"blocks":[{"__proto__":{},"text":"a"}]}',
  ])("%s", (json) => {
    expect(restoredFrom(json)).toBe(json);
  });

  it("and a record without an id takes the order learnt from earlier ones", () => {
    const orders = new KeyOrders();
    const json = (at: number) => `{"at":${at},"name":"x","type":"a","blocks":[]}`;

    expect([1, 2, 3].map((at) => restoredFrom(json(at), orders))).toEqual([1, 2, 3].map(json));
    // Without an id the order is the one that was learnt.
    const joined = orders.join({ at: 4, type: "a" }, { name: "x", blocks: [] });
    expect(stringifyJson(joined)).toBe(json(4));
  });
});

it("leaves a record as it is if no order of its keys gives its id", () => {
  const orders = new KeyOrders();
  const keys = Array.from({ length: 9 }, (_, at) => [`key${at}`, at] as const);
  const [left, taken] = [Object.fromEntries(keys.slice(5)), Object.fromEntries(keys.slice(0, 5))];
  const restore = () => orders.join(left, taken);
  let tries = 0;

  const restored = orders.restored(restore, () => {
    tries++;
    return false;
  });

  expect(stringifyJson(restored ?? null)).toBe(stringifyJson({ ...left, ...taken }));
  // Five keys among four others: 9 * 8 * 7 * 6 * 5, and the one it began with.
  expect(tries).toBe(15_121);
});

it("tries no other order for an object of more keys than a client writes", () => {
  const orders = new KeyOrders();
  const left = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at]));
  let tries = 0;

  orders.restored(
    () => orders.join(left, { name: "x" }),
    () => {
      tries++;
      return false;
    },
  );

  expect(tries).toBe(1);
});
