import { expect } from "vitest";
import { TextCells } from "../rows/text-cells.ts";
import { toArrow } from "../rows/to-arrow.ts";
import { catalogue } from "../testing/catalogue.ts";
import { onFolders, openCatalogue, openLanceTable, temporaryLocation } from "../testing/store.ts";
import { addRows } from "./add-rows.ts";

const it = onFolders("there rows are merged");

function cellsOf(texts: readonly (string | null)[]): TextCells {
  const cells = new TextCells();
  for (const text of texts) cells.push(text);
  return cells;
}

it("keeps and stores text cells unchanged though the same cells are added three times", async () => {
  const location = temporaryLocation();
  await openCatalogue(location);
  const handle = await openLanceTable(location, "parts");
  const [parts] = catalogue.filter(({ name }) => name === "parts");
  if (parts === undefined) throw new TypeError("there are parts");
  const texts = {
    maker: ["acme", "acme"],
    number: ["1", "2"],
    description: ["é".repeat(9_000), null],
  };
  const batch = Object.fromEntries(
    Object.entries(texts).map(([name, column]) => [name, cellsOf(column)]),
  );

  // A retry gives the same cells once more.
  for (const _ of [1, 2, 3]) await addRows(handle, toArrow(parts, batch), batch);

  for (const [name, column] of Object.entries(texts)) {
    expect(column.map((_, at) => batch[name]?.at(at))).toEqual(column);
  }
  const rows = await handle.query().select(Object.keys(texts)).toArray();
  expect(rows.map((row) => ({ ...row.toJSON() }))).toEqual(
    [1, 2, 3].flatMap(() =>
      [0, 1].map((at) =>
        Object.fromEntries(Object.entries(texts).map(([name, column]) => [name, column[at]])),
      ),
    ),
  );
});

it("stores the same cells in two columns", async () => {
  const table = (await openCatalogue()).table("parts");
  const texts = ["a", "é".repeat(9_000)];
  const cells = cellsOf(texts);

  await table.insert({ maker: cells, number: ["1", "2"], description: cells });

  const rows = await table.rows({ columns: ["maker", "description"] });
  expect(rows).toEqual(texts.map((text) => ({ maker: text, description: text })));
  expect(texts.map((_, at) => cells.at(at))).toEqual(texts);
});
