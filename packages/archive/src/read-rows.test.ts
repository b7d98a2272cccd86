import type { Row } from "@pond/substrate";
import { expect, it, vi } from "vitest";
import { bytesOf, readRows } from "./read-rows.ts";
import { locateRows } from "./row-locations.ts";
import { storeOf } from "./testing.ts";

it("reads rows of a megabyte each a few at a time, from the first read on", async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `${at} `.padEnd(1_000_000, "reeds "));
  const { store } = await storeOf({ id: "s", texts });
  const table = store.table("parts");
  const locations = await locateRows(store);
  const rowIds = locations.rowIds("parts", ["s"]);
  const reading = vi.spyOn(table, "rows");

  const read: string[] = [];
  const columns = ["message_id", "variant_data"];
  for await (const row of readRows(table, columns, rowIds)) read.push(String(row["message_id"]));

  const atOnce: Row[][] = await Promise.all(reading.mock.results.map(({ value }) => value));
  const bytes = atOnce.map((rows) => rows.reduce((sum, row) => sum + bytesOf(row), 0));
  expect(new Set(read).size).toBe(40);
  expect(Math.max(...bytes)).toBeLessThan(10 * 1024 * 1024);
});
