import type { Table as LanceTable } from "@lancedb/lancedb";
import type * as Arrow from "apache-arrow";
import type { ColumnType, TableDeclaration } from "../declaration.ts";
import { arrow } from "../engine/arrow.ts";
import { retry } from "../engine/retry.ts";
import { toType } from "../engine/schema.ts";
import { SubstrateError } from "../errors.ts";
import { createIndexes } from "../indexes/indexes.ts";
import { refresh } from "../indexes/lost-indexes.ts";
import { textIndexesToMake } from "../indexes/text-indexes.ts";

const next = "_next";
const previous = "_previous";
/** The endings of the columns that exist beside the real ones during a renewal. */
export const renewalSuffixes: readonly string[] = [next, previous];
// A step that another process took first fails, and is not needed any more.
const maxFailures = 12;

type Place = { readonly table: string; readonly location: string };

/**
 * Empties derived columns for every row at once, without rewriting any; a vector column may get
 * another length. It takes three commits, of which the second decides: it adds empty columns beside
 * the old ones, renames both, and drops the old ones with their indexes. So a reader sees either
 * the old columns or the empty ones. {@link finishRenewal} completes a renewal that broke off.
 */
export async function renew(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  types: Readonly<Record<string, ColumnType>>,
): Promise<void> {
  for (const name of Object.keys(types)) {
    if (!table.columns[name]?.isDerived) {
      throw new TypeError(`${table.name}.${name}: only what is derived can be made again`);
    }
  }
  const place = { table: table.name, location };
  const empty = Object.entries(types).map(
    ([name, type]) => new arrow.Field(`${name}${next}`, toType(type), true),
  );
  const hasDeclaredTypes = async (suffix = ""): Promise<boolean> => {
    const stored = await typesOf(place, handle);
    return Object.entries(types).every(
      ([name, type]) => stored.get(`${name}${suffix}`) === String(toType(type)),
    );
  };
  const step = (commit: () => Promise<unknown>): Promise<unknown> =>
    retry(place, commit, { refresh: () => refresh(table, handle) });
  for (let failures = 0; ; failures++) {
    await finishRenewal(table, handle, location);
    try {
      await step(() => handle.addColumns(empty));
    } catch (error) {
      if (isFinal(error) || failures >= maxFailures) throw error;
      await refresh(table, handle);
      // Another process may have begun the same renewal, which serves as well.
      if (!(await hasDeclaredTypes(next))) continue;
    }
    await finishRenewal(table, handle, location);
    if (!(await hasDeclaredTypes())) continue;
    await createIndexes(
      table,
      handle,
      location,
      await textIndexesToMake(table, handle, location),
      {},
    );
    return;
  }
}

/** True if a process began a renewal that nobody has completed. */
export function isInRenewal(table: TableDeclaration, { fields }: Arrow.Schema): boolean {
  const stored = new Set(fields.map(({ name }) => name));
  return derivedColumns(table).some((name) =>
    renewalSuffixes.some((end) => stored.has(name + end)),
  );
}

/** Completes a renewal that this process began, or one that was killed. */
export async function finishRenewal(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
): Promise<void> {
  const derived = derivedColumns(table);
  if (derived.length === 0) return;
  const place = { table: table.name, location };
  const step = (commit: () => Promise<unknown>): Promise<unknown> =>
    retry(place, commit, { refresh: () => refresh(table, handle) });
  for (let failures = 0; ; ) {
    const stored = await typesOf(place, handle);
    const old = derived.map((name) => `${name}${previous}`).filter((name) => stored.has(name));
    const renewed = derived.filter((name) => stored.has(`${name}${next}`));
    if (old.length === 0 && renewed.length === 0) return;
    try {
      if (old.length > 0) await step(() => handle.dropColumns(old));
      else await step(() => handle.alterColumns(renewed.flatMap(swapped)));
    } catch (error) {
      failures += 1;
      if (isFinal(error) || failures > maxFailures) throw error;
      await refresh(table, handle);
    }
  }
}

function derivedColumns(table: TableDeclaration): string[] {
  return Object.keys(table.columns).filter((name) => table.columns[name]?.isDerived);
}

/** True for an error that looking again does not help with: {@link retry} has given up. */
function isFinal(error: unknown): boolean {
  return error instanceof SubstrateError;
}

/** The types of the stored columns, as text. */
async function typesOf(place: Place, handle: LanceTable): Promise<Map<string, string>> {
  const schema = await retry(place, () => handle.schema());
  return new Map(schema.fields.map(({ name, type }) => [name, String(type)]));
}

/** Both names change in one commit, so the column exists at every moment. */
function swapped(name: string): { path: string; rename: string }[] {
  return [
    { path: name, rename: `${name}${previous}` },
    { path: `${name}${next}`, rename: name },
  ];
}
