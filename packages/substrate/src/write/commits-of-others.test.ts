import { expect, it } from "vitest";
import { openCatalogue, temporaryLocation } from "../testing/store.ts";

it("counts the commits of other writers, and none of its own", async () => {
  const location = temporaryLocation();
  const [one, other] = [await openCatalogue(location), await openCatalogue(location)];
  const table = one.table("prices");
  const row = { maker: ["acme"], total: [1] };
  const first = await table.commitsOfOthers();

  await table.insert(row);
  await table.insert(row);
  await table.replace(row);
  const own = await table.commitsOfOthers();
  await other.table("prices").replace(row);
  await table.insert(row);
  await table.replace(row);
  await table.replace(row);
  await other.table("prices").replace(row);
  await table.insert(row);
  const others = await table.commitsOfOthers();

  expect([own, others]).toEqual([first, first + 2]);
});
