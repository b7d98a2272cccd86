import type { Client } from "@pond/client";
import { test } from "vitest";
import type { Said } from "./said.ts";
import type { WireEvent } from "./wire-events.ts";

test("a message with parts that its role has not does not compile", () => {
  // @ts-expect-error a user answers no call
  ({ role: "user", content: [{ type: "tool_result", call_id: "c", result: 1 }] }) satisfies Said;
});

test("a result without a result does not compile", () => {
  // @ts-expect-error `result` is missing
  ({ role: "tool", content: [{ type: "tool_result", call_id: "c" }] }) satisfies Said;
});

test("what a sink sends is what a client takes", () => {
  (event: WireEvent): Parameters<Client["ingestAll"]>[0] => [event];
});
