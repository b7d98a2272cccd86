import type { Client } from "@pond/client";
import { test } from "vitest";
import type { MessageDraft } from "./drafts.ts";
import type { WireEvent } from "./wire-events.ts";

test("a message with parts that its role has not does not compile", () => {
  const content = [{ type: "tool_result", call_id: "c", result: 1 }] as const;
  ({ role: "tool", content }) satisfies MessageDraft;
  // @ts-expect-error a user answers no call
  ({ role: "user", content }) satisfies MessageDraft;
});

test("a result without a result does not compile", () => {
  // @ts-expect-error `result` is missing
  ({ role: "tool", content: [{ type: "tool_result", call_id: "c" }] }) satisfies MessageDraft;
});

test("what a sink sends is what a client takes", () => {
  (event: WireEvent): Parameters<Client["ingestAll"]>[0] => [event];
});
