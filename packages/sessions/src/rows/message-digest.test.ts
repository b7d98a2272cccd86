import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { messageDigest } from "./message-digest.ts";

const chars = 1024 * 1024;

it.each<[string, number, string?]>([
  ["short", 10],
  ["long", chars + 1],
  ["long with a surrogate pair at a cut", chars - 1],
  ["long with half a surrogate pair before a whole one", chars - 1, "\ud800"],
  ["several pieces long", 3 * chars - 4],
])("hashes a message that is %s as if in one piece", (_, before, half = "") => {
  const text = `${"x".repeat(before)}${half}😀${"é".repeat(20)}`;
  const options = '{"a":1}';
  const part = { id: "p", type: "text", provenance: "conversational", variantData: text, options };
  const data = Uint8Array.of(1, 2);

  const digest = messageDigest(
    { id: "m", role: "user", timestamp: 5n, content: null, options: "{}" },
    [
      { ...part, data },
      { ...part, data: null },
    ],
  );

  const own = ["p", "text", "conversational", text, options].join("\0").replace("p", '"p"');
  const whole = ['"m"', "user", "5", "", "{}", own, hash("sha256", data), own].join("\0");
  expect(digest).toBe(hash("sha256", whole).slice(0, 32));
});
