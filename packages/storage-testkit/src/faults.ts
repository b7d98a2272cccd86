/** What goes wrong with a request. */
type FaultKind =
  /** An error of the storage, which never sees the request. 503 is SlowDown, 403 ExpiredToken. */
  | { readonly kind: "status"; readonly status: number; readonly body?: string }
  /**
   * The connection is reset. `before`: before the storage sees the request, while its body may
   * still come; `after`: the storage did what it was asked, without an answer; `in-response`: after
   * half of the answer's body, which equals `after` if it has none.
   */
  | { readonly kind: "reset"; readonly when: "before" | "after" | "in-response" }
  /** The storage sees the request late. */
  | { readonly kind: "slow"; readonly delayMs: number }
  /** The storage sees the request once something else has happened. */
  | { readonly kind: "hold"; readonly until: Promise<unknown> }
  /** There is never an answer. */
  | { readonly kind: "hang" };

/** A harm, and the requests that it hits: all of them, if nothing narrows it. */
export type Fault = FaultKind & {
  /** Requests whose line matches: `PUT /pond/parts.lance/_versions/1.manifest`. */
  readonly only?: RegExp;
  /** This share of them, chosen by seeded dice: between 0 and 1. */
  readonly share?: number;
  /** One in so many of them, the first being the n-th. */
  readonly every?: number;
  /** Until so many were hit. */
  readonly forRequests?: number;
};

/** Decides which requests are hit by a fault, the same in every run. */
export class FaultPlan {
  requests = 0;
  faults = 0;
  #fault: Fault | undefined;
  #matched = 0;
  #hits = 0;
  #dice = 1;

  set(fault: Fault | undefined): void {
    this.#fault = fault;
    this.#matched = 0;
    this.#hits = 0;
    this.#dice = 1;
  }

  /** The fault that hits a request. */
  faultFor(line: string): Fault | undefined {
    this.requests += 1;
    const fault = this.#fault;
    if (fault === undefined || (fault.only && !fault.only.test(line))) return undefined;
    this.#matched += 1;
    if (this.#hits >= (fault.forRequests ?? Number.POSITIVE_INFINITY)) return undefined;
    if (this.#matched % (fault.every ?? 1) !== 0) return undefined;
    if (this.#roll() >= (fault.share ?? 1)) return undefined;
    this.#hits += 1;
    this.faults += 1;
    return fault;
  }

  /** Between 0 and 1. */
  #roll(): number {
    this.#dice = (this.#dice * 48_271) % 2_147_483_647;
    return this.#dice / 2_147_483_647;
  }
}
