import { sessionTables } from "@pond/sessions";
import type { TableDeclaration } from "@pond/substrate";

/**
 * Tables in the order in which they are read. A message that is read has its parts, and a session
 * that is read its messages: each was written after what is below it, so each is read before it.
 */
export const readOrder = ["sessions", "messages", "windows", "parts"] as const;

export type TableName = (typeof readOrder)[number];

// Made of the other columns wherever an archive is read: what it says of them is not believed.
const left = new Set(["head"]);

/**
 * The tables of an archive, in the order of its members: as in a store, but without indexes, and
 * without what is made again when it is read.
 *
 * @param vectorDimension - Length of the stored vectors, where it is not the declared one.
 */
export function archiveTables(vectorDimension?: number): TableDeclaration[] {
  return sessionTables.map((table) => ({
    ...table,
    columns: Object.fromEntries(
      Object.entries(table.columns).flatMap(([name, column]) => {
        if (left.has(name)) return [];
        const isVector = typeof column.type === "object" && vectorDimension !== undefined;
        return [[name, isVector ? { ...column, type: { vector: vectorDimension } } : column]];
      }),
    ),
    indexes: [],
  }));
}
