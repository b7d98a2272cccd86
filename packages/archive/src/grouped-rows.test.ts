import type { Row } from "@pond/substrate";
import { expect, it } from "vitest";
import { withParts } from "./grouped-rows.ts";

it("closes the streams of messages and parts when the consumer stops early", async () => {
  const closed: string[] = [];
  async function* rows(column: string): AsyncGenerator<Row> {
    try {
      for (const id of ["a", "b"]) yield { session_id: "s", [column]: id };
    } finally {
      closed.push(column);
    }
  }

  for await (const { parts } of withParts(rows("id"), rows("message_id"))) {
    expect(parts).toEqual([{ session_id: "s", message_id: "a" }]);
    break;
  }

  expect(closed.sort()).toEqual(["id", "message_id"]);
});
