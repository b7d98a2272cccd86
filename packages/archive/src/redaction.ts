import type { TextMap } from "@pond/sessions/rows";

/** How many places a rule replaced. */
export type RedactedCount = { readonly rule: string; readonly count: number };

/** Replaces secrets, such as a redactor of `@pond/share`: equal texts become equal texts. */
export type ArchiveRedactor = TextMap & {
  /** So far. */
  counts(): readonly RedactedCount[];
};

/** A redactor, and what of its counts stands for rows of an archive. */
export class Redaction implements TextMap {
  readonly #redactor: ArchiveRedactor;
  readonly #before: ReadonlyMap<string, number>;
  readonly #uncounted = new Map<string, number>();

  constructor(redactor: ArchiveRedactor) {
    this.#redactor = redactor;
    this.#before = byRule(redactor);
  }

  text(text: string): string {
    return this.#redactor.text(text);
  }

  json: TextMap["json"] = (value) => this.#redactor.json(value);

  /** Does what is done once more for another row, and is counted there. */
  uncounted<T>(call: () => T): T {
    const before = byRule(this.#redactor);
    const result = call();
    for (const [rule, count] of byRule(this.#redactor)) {
      const more = count - (before.get(rule) ?? 0);
      this.#uncounted.set(rule, (this.#uncounted.get(rule) ?? 0) + more);
    }
    return result;
  }

  counts(): RedactedCount[] {
    return this.#redactor.counts().flatMap(({ rule, count }) => {
      const own = count - (this.#before.get(rule) ?? 0) - (this.#uncounted.get(rule) ?? 0);
      return own > 0 ? [{ rule, count: own }] : [];
    });
  }
}

function byRule(redactor: ArchiveRedactor): Map<string, number> {
  return new Map(redactor.counts().map(({ rule, count }) => [rule, count]));
}
