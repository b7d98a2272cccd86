import { expect, it } from "vitest";
import { locateRows } from "./row-locations.ts";
import { sortedRows } from "./sorted-rows.ts";
import { storeOf } from "./testing.ts";

it.each([1, 300])("reads all of %i rows, and throws when another row is gone", async (count) => {
  const texts = Array.from({ length: count }, (_, at) => `x ${at}`);
  const { store } = await storeOf({ id: "s", texts });
  const locations = await locateRows(store);
  const read = async (): Promise<string[]> => {
    const ids: string[] = [];
    const rows = sortedRows({ store, locations, name: "messages" }, ["session_id", "id"], ["s"]);
    for await (const { id } of rows) ids.push(String(id));
    return ids;
  };
  expect(await read()).toEqual(texts.map((_, at) => `m${at}`).sort());

  locations.add("messages", "s", 1_000_000n);

  await expect(read()).rejects.toThrow("rows went away");
});
