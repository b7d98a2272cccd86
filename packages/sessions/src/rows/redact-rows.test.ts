import type { JsonValue } from "@pond/canonical";
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
])("reports a damaged row when the %s cannot be parsed as JSON", (_, redact) => {
  expect(redact).toThrow(expect.objectContaining({ code: "damaged_row" }));
});

it.each([
  ["changed", "secret name", "[gone] name"],
  ["gone", "secret", undefined],
  ["unchanged", "plain name", "plain name"],
])("gives windows the redacted title, which is %s", (_, title, now) => {
  const text = (whole: string): string =>
    whole === "secret" ? "" : whole.replace("secret", "[gone]");
  const json = <Value extends JsonValue>(value: Value): Value =>
    JSON.parse(JSON.stringify(value), (_key, each) =>
      typeof each === "string" ? text(each) : each,
    ) as Value;
  const options = { source: { record: { type: "custom-title", customTitle: title } } };
  const row = {
    ...{ ...message, role: "system", content: '""', search_text: null },
    options: JSON.stringify(options),
  };

  const redacted = redactMessageRows(row, [], { text, json }, "/", () => undefined);

  expect(redacted.piece?.title).toBe(now);
});
