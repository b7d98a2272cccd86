import { sessionTables } from "@pond/sessions";
import type { Column, TableDeclaration } from "@pond/substrate";

/**
 * Tables in the order in which they are read. A message that is read has its parts, and a session
 * that is read has its messages: each was written after the rows below it, so it is read before
 * them.
 */
export const readOrder = ["sessions", "messages", "windows", "parts"] as const;

export type TableName = (typeof readOrder)[number];

// Made from the other columns where a copy is stored, because an archived value would not be
// trusted.
const leftOut = new Set(["head"]);

/** The columns of a table that are copied. */
export function copiedColumns({ columns }: TableDeclaration): string[] {
  return Object.keys(columns).filter((name) => !leftOut.has(name));
}

/**
 * The tables of an archive, in the order of its members: as in a store, but without indexes and
 * without what is made again when it is read. Their version is the one in which the last of their
 * columns was added or became sparse, so that any version that knows these can read them.
 *
 * @param vectorDimension - Length of the stored vectors, if it is not the declared one.
 */
export function archiveTables(vectorDimension?: number): TableDeclaration[] {
  return sessionTables.map((table) => {
    const columns = Object.entries(table.columns)
      .filter(([name]) => !leftOut.has(name))
      .map(([name, column]): [string, Column] => {
        const isVector = typeof column.type === "object" && vectorDimension !== undefined;
        return [name, isVector ? { ...column, type: { vector: vectorDimension } } : column];
      });
    const isSparse = columns.some(([, column]) => column.isSparse);
    const versions = columns.map(([, { since = 1 }]) => since);
    const schemaVersion = isSparse ? table.schemaVersion : Math.max(...versions);
    return { ...table, schemaVersion, columns: Object.fromEntries(columns), indexes: [] };
  });
}
