import { expect, it } from "vitest";
import { numbered } from "../testing/catalogue.ts";
import { openCatalogue } from "../testing/store.ts";
import { oneOf } from "./filter.ts";
import { fragmentOf } from "./fragments.ts";
import { rowAddress, rowId } from "./system-columns.ts";

it("counts the rows of each fragment, which a fold changes, while row ids stay the same", async () => {
  const table = (await openCatalogue()).table("parts");
  for (const from of [0, 30, 60]) await table.insert(numbered(30, "acme", from));
  const columns = ["number", rowId, rowAddress];
  const before = await table.rows({ columns });
  const lain = [...(await table.fragments()).values()];

  await table.fold({ isForced: true });

  expect(lain).toEqual([30, 30, 30]);
  expect(new Set(before.map(fragmentOf)).size).toBe(3);
  expect([...(await table.fragments()).values()]).toEqual([90]);
  const ids = [before[7]?.[rowId], before[77]?.[rowId]] as bigint[];
  const found = await table.rows({ columns: ["number"], where: oneOf(rowId, ids) });
  expect(found.map(({ number }) => number).sort()).toEqual(["n7", "n77"]);
});
