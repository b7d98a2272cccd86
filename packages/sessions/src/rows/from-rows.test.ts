import type { Part } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { expect, it } from "vitest";
import { sessionFromCarrier } from "../revisions/session-revisions.ts";
import { messageFromCarrier, messageFromRow, partFromRow, sessionFromRow } from "./from-rows.ts";

const session = { id: "s", source_agent: "demo", created_at: 0n, project: "/", options: "{}" };
const message = { id: "m", session_id: "s", timestamp: 0n, content: null, options: "{}" };
const part = { session_id: "s", message_id: "m", id: "p", type: "text", options: "{}" };
const text = { ...part, provenance: "conversational", variant_data: '{"text":"said"}' };
const call = { ...part, type: "tool_call" } as unknown as Part;
const carried = (fact: string): Row => ({ ...message, options: `{"pond":${fact}}` });

it.each<[string, readonly string[], string, string, () => unknown]>([
  ["sessions", ["s"], "options", "[]", () => sessionFromRow({ ...session, options: "[]" })],
  [
    "messages",
    ["s", "m"],
    "options",
    "{cut",
    () => messageFromRow({ ...message, role: "user", options: "{cut" }, []),
  ],
  ["messages", ["s", "m"], "role", "usez", () => messageFromRow({ ...message, role: "usez" }, [])],
  [
    "messages",
    ["s", "m"],
    "content",
    "5",
    () => messageFromRow({ ...message, role: "system", content: "5" }, []),
  ],
  [
    "messages",
    ["s", "m"],
    "options",
    '{"pond":{"message":{}}}',
    () => messageFromCarrier(carried('{"message":{}}')),
  ],
  [
    "messages",
    ["s", "m"],
    "options",
    '{"pond":{"session":{}}}',
    () => sessionFromCarrier(sessionFromRow(session), carried('{"session":{}}')),
  ],
  [
    "parts",
    ["s", "m", "p"],
    "type",
    "tool_call",
    () => messageFromRow({ ...message, role: "user" }, [call]),
  ],
  ["parts", ["s", "m", "p"], "type", "tezt", () => partFromRow({ ...text, type: "tezt" }, null)],
  [
    "parts",
    ["s", "m", "p"],
    "provenance",
    "dreamt",
    () => partFromRow({ ...text, provenance: "dreamt" }, null),
  ],
  [
    "parts",
    ["s", "m", "p"],
    "variant_data",
    "{broken",
    () => partFromRow({ ...text, variant_data: "{broken" }, null),
  ],
  [
    "parts",
    ["s", "m", "p"],
    "variant_data",
    "{}",
    () => partFromRow({ ...text, variant_data: "{}" }, null),
  ],
  ["parts", ["s", "m", "p"], "options", "{", () => partFromRow({ ...text, options: "{" }, null)],
])(
  "throws for a damaged row of %s, naming its key %j, column %s and value %s",
  (table, key, column, found, read) => {
    const details = { table, key, column, found };
    expect(read).toThrow(expect.objectContaining({ code: "damaged_row", details }));
  },
);
