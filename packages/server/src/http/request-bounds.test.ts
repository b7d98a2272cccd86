import { jsonSchemas, type OperationName, operations } from "@pond/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chat } from "../testing.ts";
import { type ServedPond, servePond } from "./testing-pond.ts";

// Every bound that a published schema names is where it says: what is named there has a case here.

let served: ServedPond;
beforeAll(async () => {
  served = await servePond();
  await served.pond.ask("ingest", { events: chat("s", ["The heron waits.", "For fish."]) });
});
afterAll(() => served.remove());

type Bounds = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
};

/** Every bound that the published schemas of requests name. */
function boundsOfRequests(): (readonly [OperationName, string, unknown, unknown])[] {
  const { $defs } = jsonSchemas();
  return (Object.keys(operations) as OperationName[]).flatMap((name) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`;
    const { properties } = Object($defs)[type] as { properties: Record<string, Bounds> };
    return Object.entries(properties).flatMap(([field, schema]) =>
      aroundOf(schema).map(([within, beyond]) => [name, field, within, beyond] as const),
    );
  });
}

function aroundOf({ minimum, maximum, minLength, maxLength }: Bounds): [unknown, unknown][] {
  return [
    ...(minimum === undefined ? [] : [[minimum, minimum - 1]]),
    ...(maximum === undefined ? [] : [[maximum, maximum + 1]]),
    ...(minLength === undefined ? [] : [["x".repeat(minLength), "x".repeat(minLength - 1)]]),
    ...(maxLength === undefined ? [] : [["x".repeat(maxLength), "x".repeat(maxLength + 1)]]),
  ] as [unknown, unknown][];
}

describe("a bound of a request field", () => {
  const base: Readonly<Record<OperationName, object>> = {
    search: { query: "heron" },
    list: {},
    get: { session_id: "s" },
    ingest: { events: [] },
    status: {},
    restore: { session_id: "s" },
  };

  it.each(boundsOfRequests().map(([name, field, ...values]) => ({ name, field, values })))(
    "is enforced where the schema of $name puts it: $field",
    async ({ name, field, values: [within, beyond] }) => {
      const more = field === "context_depth" ? { message_id: "m0" } : {};
      const ask = (value: unknown) => served.ask(name, { ...base[name], ...more, [field]: value });
      const taken = await ask(within);
      const refused = await ask(beyond);

      // What is within may be of nobody, but it is looked for.
      expect([200, 404, 400]).toContain(taken.status);
      expect(taken.body.error?.details).not.toMatchObject({ issues: expect.anything() });
      expect(refused.status).toBe(400);
      expect(refused.body.error).toMatchObject({
        code: "validation_failed",
        details: { issues: [{ path: field, message: expect.any(String) }] },
      });
    },
  );

  it("is found in the schemas of several operations, minimum and maximum alike", () => {
    const fields = boundsOfRequests().map(([name, field]) => `${name} ${field}`);

    expect(fields).toEqual(
      expect.arrayContaining(["search limit", "get context_depth", "get limit_bytes"]),
    );
    expect(fields.filter((field) => field === "search limit")).toHaveLength(2);
  });
});
