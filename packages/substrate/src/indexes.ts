import type { Index, Table as LanceTable } from "@lancedb/lancedb";
import type { IndexDeclaration, TableDeclaration } from "./declaration.ts";
import { loadLance } from "./lance.ts";
import { retry } from "./retry.ts";

// The defaults are English and drop long tokens (`search-language-neutral-index`). Of the two ICU
// tokenizers this one also splits `a_b_c` and `v1.2.3`; both cut CJK into words.
const tokenizer = {
  baseTokenizer: "icu/split",
  lowercase: true,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
  maxTokenLength: 256,
} as const;

/** The tokens the full-text indexes make of a text. */
export async function tokenize(text: string): Promise<string[]> {
  const tokens = await loadLance().tokenize(text, tokenizer);
  return tokens.map((token) => token.text);
}

/** Makes indexes over what is there; one that is there already is made again. */
export async function createIndexes(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  indexes: readonly IndexDeclaration[],
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const rows = await handle.countRows();
  for (const index of indexes) {
    const place = { table: table.name, location };
    // The engine consumes an index description, so every attempt needs a new one.
    const create = (): Promise<void> =>
      handle.createIndex(index.column, { config: configOf(index, rows), replace: true });
    await retry(place, create, {
      signal,
      refresh: () => handle.checkoutLatest(),
    });
  }
}

export async function dropIndex(handle: LanceTable, column: string): Promise<void> {
  for (const { name, columns } of await handle.listIndices()) {
    if (columns[0] === column) await handle.dropIndex(name);
  }
}

function configOf(index: IndexDeclaration, rows: number): Index {
  const { Index } = loadLance();
  switch (index.kind) {
    case "btree":
      return Index.btree();
    case "bitmap":
      return Index.bitmap();
    case "vector": {
      // Trains 30 to 50 times faster than IVF_PQ, with better recall.
      const numPartitions = Math.max(1, Math.floor(rows / 4096));
      return Index.ivfRq({ numPartitions, distanceType: index.distance });
    }
    case "full-text":
      return Index.fts({ ...tokenizer, withPosition: index.hasPositions });
  }
}
