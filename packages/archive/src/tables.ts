import { sessionTables } from "@pond/sessions";
import type { TableDeclaration } from "@pond/substrate";

/**
 * The tables of an archive, in the order of its members: as in a store, but without indexes.
 *
 * @param vectorDimension - Length of the stored vectors, where it is not the declared one.
 */
export function archiveTables(vectorDimension?: number): TableDeclaration[] {
  return sessionTables.map((table) => ({
    ...table,
    columns: Object.fromEntries(
      Object.entries(table.columns).map(([name, column]) => {
        const isVector = typeof column.type === "object" && vectorDimension !== undefined;
        return [name, isVector ? { ...column, type: { vector: vectorDimension } } : column];
      }),
    ),
    indexes: [],
  }));
}
