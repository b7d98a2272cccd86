import type { TextMap } from "@pond/sessions/rows";

/** How many places a rule replaced. */
export type RedactedCount = { readonly rule: string; readonly count: number };

/** Replaces secrets, for example a redactor of `@pond/share`: equal texts become equal texts. */
export type ArchiveRedactor = TextMap & {
  /** The counts so far. */
  counts(): readonly RedactedCount[];
};

/** A redactor, and the part of its counts that belongs to rows of an archive. */
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

  /** Runs something that is done again for another row and counted there. */
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
