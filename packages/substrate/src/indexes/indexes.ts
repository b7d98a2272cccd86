import type { Index, Table as LanceTable } from "@lancedb/lancedb";
import type { IndexDeclaration, TableDeclaration } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { retry } from "../engine/retry.ts";
import { vectorDimension } from "../engine/schema.ts";
import { untilAborted } from "../engine/until-aborted.ts";
import { refresh } from "./lost-indexes.ts";
import { bitsPerNumber, countVectors } from "./vector-indexes.ts";

// The defaults are for English and drop long tokens (`search-language-neutral-index`). Of the two
// ICU tokenizers, this one also splits `a_b_c` and `v1.2.3`; both cut CJK into words.
const tokenizer = {
  baseTokenizer: "icu/split",
  lowercase: true,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
  maxTokenLength: 256,
} as const;

/** The tokens that the full-text indexes make of a text. */
export async function tokenize(text: string): Promise<string[]> {
  const tokens = await loadLance().tokenize(text, tokenizer);
  return tokens.map((token) => token.text);
}

/** The engine's message if too few vectors differ from zero. */
const untrainable = /KMeans cannot train/;

/**
 * Makes indexes over the existing rows; an existing index is made again.
 *
 * @returns Columns whose vectors no index can be trained on.
 */
export async function createIndexes(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  indexes: readonly IndexDeclaration[],
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<string[]> {
  const place = { table: table.name, location };
  const untrained: string[] = [];
  for (const index of indexes) {
    // The engine consumes an index description, so every attempt needs a new one.
    const create = async (): Promise<void> => {
      const config = await configOf(table, index, handle);
      await handle.createIndex(index.column, { config, replace: true });
    };
    const options = { signal, refresh: () => refresh(table, handle) };
    try {
      await untilAborted(() => retry(place, create, options), signal);
    } catch (error) {
      if (!(error instanceof Error && untrainable.test(error.message))) throw error;
      untrained.push(index.column);
    }
  }
  return untrained;
}

export async function dropIndex(handle: LanceTable, column: string): Promise<void> {
  for (const { name, columns } of await handle.listIndices()) {
    if (columns[0] === column) await handle.dropIndex(name);
  }
}

async function configOf(
  table: TableDeclaration,
  index: IndexDeclaration,
  handle: LanceTable,
): Promise<Index> {
  const { Index } = loadLance();
  switch (index.kind) {
    case "btree":
      return Index.btree();
    case "bitmap":
      return Index.bitmap();
    case "vector": {
      const dimension = vectorDimension(await handle.schema(), index.column) ?? 0;
      const vectors = await countVectors(table, handle, index.column);
      const numPartitions = Math.max(1, Math.floor(vectors / 4096));
      const options = { numPartitions, distanceType: index.distance };
      // Trains 30 to 50 times faster than IVF_PQ, with better recall; but it packs numbers in
      // groups of eight.
      return dimension % 8 === 0
        ? Index.ivfRq({ ...options, numBits: bitsPerNumber })
        : Index.ivfFlat(options);
    }
    case "full-text":
      return Index.fts({ ...tokenizer, withPosition: index.hasPositions });
  }
}
