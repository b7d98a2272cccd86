import type { Table as LanceTable } from "@lancedb/lancedb";
import type { ColumnBatch, Row, TableDeclaration } from "./declaration.ts";
import { type Filter, toSql } from "./filter.ts";
import { type FoldOptions, type FoldOutcome, fold, healthOf, type TableHealth } from "./indexes.ts";
import {
  type FullTextOptions,
  fullTextQuery,
  type NearestOptions,
  nearestQuery,
  rowsOf,
  type ScanOptions,
  scanQuery,
} from "./read.ts";
import { retry } from "./retry.ts";
import { type InsertOutcome, TableWriter } from "./write.ts";

/** One table of a store: everything a consumer can do with its rows. */
export class Table {
  readonly declaration: TableDeclaration;
  readonly #handle: LanceTable;
  readonly #location: string;
  readonly #writer: TableWriter;

  constructor(declaration: TableDeclaration, handle: LanceTable, location: string) {
    this.declaration = declaration;
    this.#handle = handle;
    this.#location = location;
    this.#writer = new TableWriter(declaration, handle, location);
  }

  /** See {@link TableWriter.insert}. An empty batch writes no version. */
  insert(batch: ColumnBatch, signal?: AbortSignal): Promise<InsertOutcome> {
    return this.#writer.insert(batch, signal);
  }

  /** See {@link TableWriter.replace}. */
  replace(batch: ColumnBatch, signal?: AbortSignal): Promise<void> {
    return this.#writer.replace(batch, signal);
  }

  /** See {@link TableWriter.update}; resolves to the number of rows set. */
  update(batch: ColumnBatch, signal?: AbortSignal): Promise<number> {
    return this.#writer.update(batch, signal);
  }

  /** Rows that meet a condition, a batch at a time. */
  scan(options: ScanOptions): AsyncGenerator<Row[]> {
    return rowsOf(scanQuery(this.#handle, options));
  }

  /** Rows that meet a condition, all at once: for few. */
  rows(options: ScanOptions): Promise<Row[]> {
    return this.#retry(() => collect(this.scan(options)));
  }

  count(where?: Filter): Promise<number> {
    return this.#retry(() => this.#handle.countRows(where && toSql(where)));
  }

  /** The best rows by BM25, with `_score`. Rows not indexed yet are searched too. */
  fullText(options: FullTextOptions): Promise<Row[]> {
    return this.#retry(() => collect(rowsOf(fullTextQuery(this.#handle, options))));
  }

  /** The nearest rows by cosine distance, with `_distance`. */
  nearest(options: NearestOptions): Promise<Row[]> {
    return this.#retry(() => collect(rowsOf(nearestQuery(this.#handle, options))));
  }

  /** The plan of a search as it ran, for people. */
  explain(options: FullTextOptions | NearestOptions): Promise<string> {
    return this.#retry(() =>
      "query" in options
        ? fullTextQuery(this.#handle, options).analyzePlan()
        : nearestQuery(this.#handle, options).analyzePlan(),
    );
  }

  /** The tokens the full-text index of `column` makes of a text; none before there is an index. */
  async tokenize(column: string, text: string): Promise<string[]> {
    const tokens = await this.#retry(() => this.#handle.tokenize(text, { column }));
    return tokens.map((token) => token.text);
  }

  fold(options: FoldOptions = {}): Promise<FoldOutcome> {
    return fold(this.declaration, this.#handle, this.#location, options);
  }

  health(): Promise<TableHealth> {
    return this.#retry(() => healthOf(this.declaration, this.#handle));
  }

  close(): void {
    this.#handle.close();
  }

  #retry<T>(call: () => Promise<T>): Promise<T> {
    const place = { table: this.declaration.name, location: this.#location };
    return retry(place, call, { refresh: () => this.#handle.checkoutLatest() });
  }
}

async function collect(batches: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
