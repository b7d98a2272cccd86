/**
 * Counts the records that a reader took from its source: lines, rows, files, entries of a document.
 * Each is then kept by a message, named by a fault, or pending; the caller checks the sum
 * (`adapter-integrity-no-silent-drops`).
 */
export class RecordCount {
  #records: number | undefined;

  /** Undefined for a reader that does not count. */
  get records(): number | undefined {
    return this.#records;
  }

  /** Called where a source is cut into records, before anything is made of them. */
  add(records: number): void {
    this.#records = (this.#records ?? 0) + records;
  }
}
