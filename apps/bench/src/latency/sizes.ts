import { tokenizers } from "./sqlite.ts";
import type { LatencyStores } from "./store.ts";

/** The size of an index, or of several together. */
export type IndexSize = {
  readonly name: string;
  readonly bytes: number;
  /** Relative to the bytes of the searchable text. */
  readonly share: number;
};

const tables = ["sessions", "messages", "parts", "windows"];

/** Every index of the newest version, largest first, and those of SQLite. */
export async function measureSizes({
  sessions,
  sqlite,
  facts,
}: LatencyStores): Promise<IndexSize[]> {
  const sizeOf = (name: string, bytes: number): IndexSize => {
    return { name, bytes, share: bytes / facts.textBytes };
  };
  const sizes: IndexSize[] = [];
  for (const table of tables) {
    for (const { column, kind, bytes } of (await sessions.store.table(table).health()).indexes) {
      sizes.push(sizeOf(`${table}.${column} (${kind})`, bytes));
    }
  }
  sizes.sort((left, right) => right.bytes - left.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    sizeOf("all indexes", total),
    ...sizes,
    ...tokenizers.map((tokenizer) => sizeOf(`FTS5 ${tokenizer}`, sqlite.bytes(tokenizer))),
  ];
}
