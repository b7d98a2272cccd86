let seal!: <T>(value: T) => Extracted<T>;
let unseal!: <T>(sealed: Extracted<T>) => T;

// Anybody can reach a value's `constructor`; nobody can reach this.
const key = Symbol("seal");

/**
 * A value read from one source record. Only the extractors make one (`model-no-synthesis`): a
 * literal does not compile where one is required, and a forged object fails when it is opened.
 */
export class Extracted<out T> {
  readonly #value: T;
  private constructor(value: T, secret: symbol) {
    if (secret !== key) throw new TypeError("a value is extracted from a source record");
    this.#value = value;
  }
  static {
    seal = (value) => new Extracted(value, key);
    unseal = (sealed) => sealed.#value;
  }
}

export { seal, unseal };
