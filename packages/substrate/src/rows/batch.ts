import type { Cell, Cells, ColumnBatch, TableDeclaration } from "../declaration.ts";
import { InvalidBatchError } from "../errors.ts";
import { TextCells } from "./text-cells.ts";

/**
 * How many rows a batch has.
 *
 * @throws {InvalidBatchError} if it lacks one of `required`, or its columns differ in length.
 */
export function rowCount(
  table: TableDeclaration,
  batch: ColumnBatch,
  required: readonly string[],
): number {
  const columns = Object.entries(batch);
  const length = columns[0]?.[1].length ?? 0;
  for (const [name, cells] of columns) {
    if (!Object.hasOwn(table.columns, name)) {
      throw new InvalidBatchError(table.name, name, "no such column");
    }
    if (cells.length !== length) {
      throw new InvalidBatchError(table.name, name, `${cells.length} cells, not ${length}`);
    }
  }
  const missing = required.find((name) => !Object.hasOwn(batch, name));
  if (length > 0 && missing !== undefined) {
    throw new InvalidBatchError(table.name, missing, "the batch leaves it out");
  }
  return length;
}

/** Numbers of the rows without those whose key came before, because the engine would store both. */
export function distinctRows(key: readonly string[], batch: ColumnBatch, length: number): number[] {
  const columns = key.map((name) => batch[name] ?? []);
  const seen = new Set<string>();
  const rows: number[] = [];
  for (let row = 0; row < length; row++) {
    const id = keyAt(columns, row);
    if (seen.has(id)) continue;
    seen.add(id);
    rows.push(row);
  }
  return rows;
}

/** The key of a row as one text, from the columns of the key. */
export function keyAt(columns: readonly Cells[], row: number): string {
  const texts = columns.map((cells) => keyText(cells.at(row) ?? null));
  // A single column is its own text: for 500,000 keys, a second text each takes 70 MB.
  const last = texts.pop() ?? "";
  // The lengths keep ("a", "bc") apart from ("ab", "c"). Joined, it is one text: a concatenated one
  // would be kept as its pieces, three times as large.
  return texts.length === 0
    ? last
    : [...texts.flatMap((text) => [text.length, ":", text]), last].join("");
}

/** A cell of a key as text, different for each value. */
export function keyText(cell: Cell): string {
  // Bytes are converted one by one: decoded as text, some would become equal, and a Buffer would
  // differ from an array.
  if (!(cell instanceof Uint8Array)) return String(cell);
  return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString("latin1");
}

/** The batch with every column of its table; those left out become nulls. */
export function withAllColumns(
  table: TableDeclaration,
  batch: ColumnBatch,
  length: number,
): ColumnBatch {
  const nulls = new Array<Cell>(length).fill(null);
  const cellsOf = (name: string): Cells =>
    Object.hasOwn(batch, name) ? (batch[name] ?? nulls) : nulls;
  return Object.fromEntries(Object.keys(table.columns).map((name) => [name, cellsOf(name)]));
}

// The size of one commit: conversion blocks the thread, and a text column ends at 2 GiB.
const maxCommitBytes = 64 * 1024 * 1024;

/** The chosen rows of a batch, in pieces of limited size. */
export function* slices(
  table: TableDeclaration,
  batch: ColumnBatch,
  rows: readonly number[],
): Generator<ColumnBatch> {
  const columns = Object.entries(batch);
  const measured = columns.flatMap(([name, cells]) =>
    typeof table.columns[name]?.type === "object" ? [] : [cells],
  );
  const rowBytes = vectorBytes(table, batch);
  const take = (from: number, to: number): ColumnBatch => takeRows(batch, rows.slice(from, to));
  if (bytesOf(measured) + rowBytes * rows.length < maxCommitBytes) {
    if (rows.length > 0) yield take(0, rows.length);
    return;
  }
  let from = 0;
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += rowBytes;
    for (const cells of measured) bytes += bytesAt(cells, row);
    if (bytes < maxCommitBytes) continue;
    yield take(from, index + 1);
    from = index + 1;
    bytes = 0;
  }
  if (from < rows.length) yield take(from, rows.length);
}

/** The chosen rows of a batch; the batch itself if these are all of its rows. */
export function takeRows(batch: ColumnBatch, rows: readonly number[]): ColumnBatch {
  const columns = Object.entries(batch);
  if (rows.length === columns[0]?.[1].length) return batch;
  return Object.fromEntries(columns.map(([name, cells]) => [name, taken(cells, rows)]));
}

function bytesOf(columns: readonly Cells[]): number {
  let bytes = 0;
  for (const cells of columns) {
    if (cells instanceof TextCells) bytes += cells.bytes.length;
    else for (const cell of cells) bytes += sizeOf(cell);
  }
  return bytes;
}

function taken(cells: Cells, rows: readonly number[]): Cells {
  return cells instanceof TextCells ? cells.take(rows) : rows.map((row) => cells[row] ?? null);
}

function bytesAt(cells: Cells, row: number): number {
  return cells instanceof TextCells ? cells.sizeOf(row) : sizeOf(cells[row] ?? null);
}

/** The bytes of a row's vectors, which are the same for nulls. */
function vectorBytes(table: TableDeclaration, batch: ColumnBatch): number {
  let bytes = 0;
  for (const name of Object.keys(batch)) {
    const type = table.columns[name]?.type;
    if (typeof type === "object") bytes += type.vector * 2;
  }
  return bytes;
}

/** About how many bytes a cell takes in memory. */
export function sizeOf(cell: Cell): number {
  if (typeof cell === "string" || cell instanceof Uint8Array) return cell.length;
  return cell instanceof Float32Array ? cell.length * 2 : 8;
}
