import { expect, it } from "vitest";
import { redactMessageRows, redactSessionRow } from "./redact-rows.ts";

const map = { text: (text: string) => text, json: <Value>(value: Value) => value };
const message = { session_id: "s", id: "m", timestamp: 0n, revises: null, digest: "d" };

it.each([
  ["options of a session", () => redactSessionRow({ id: "s", project: "/", options: "x{}" }, map)],
  [
    "content of a message",
    () =>
      redactMessageRows(
        { ...message, role: "system", content: '"half', options: "{}" },
        [],
        map,
        "/",
        () => undefined,
      ),
  ],
])("says that a row is damaged where the %s are no JSON", (_, redact) => {
  expect(redact).toThrow(expect.objectContaining({ code: "damaged_row" }));
});
