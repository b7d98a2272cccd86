import type { IncomingMessage } from "node:http";
import type { JsonValue } from "@pond/canonical";
import type { Clients } from "./clients.ts";
import { checkContent } from "./content.ts";
import { Gate } from "./gate.ts";
import type { InFlightRequest } from "./in-flight.ts";
import { parseBody } from "./json-body.ts";
import type { HttpLimits, RequestKind } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import { HeldBytes, readBody } from "./read-body.ts";
import { busy } from "./refusals.ts";
import { untilAborted } from "./until-aborted.ts";

/**
 * Each array or object of a body takes some hundred bytes of memory, and time: 16 MiB of empty ones
 * took half a gigabyte, and kept everybody waiting for twelve seconds.
 */
const bytesPerObject = 16;

/** The checks and limits for every request with a body, before work on it begins. */
export class Intake {
  readonly #limits: HttpLimits;
  readonly #clients: Clients;
  readonly #outbox: Outbox;
  readonly #held: HeldBytes;
  readonly #gates: Readonly<Record<RequestKind, Gate>>;

  constructor(limits: HttpLimits, clients: Clients, outbox: Outbox) {
    const { search, list, get, ingest, status, restore, mounted } = limits.concurrency;
    this.#limits = limits;
    this.#clients = clients;
    this.#outbox = outbox;
    this.#held = new HeldBytes(limits.maxHeldBytes);
    this.#gates = {
      search: new Gate(search),
      list: new Gate(list),
      get: new Gate(get),
      ingest: new Gate(ingest),
      status: new Gate(status),
      restore: new Gate(restore),
      mounted: new Gate(mounted),
    };
  }

  /**
   * Reads the body, waits for a place, and works. The body is read before the request waits, so
   * that a slow sender takes nobody's place. A full queue is reported before the body is sent.
   *
   * @throws {WireError} and whatever `work` throws.
   * @throws The reason of the flight's signal, once it is aborted.
   */
  async run<T>(
    kind: RequestKind,
    request: IncomingMessage,
    flight: InFlightRequest,
    work: (body: JsonValue) => Promise<T>,
  ): Promise<T> {
    const { signal } = flight;
    const { bodyTimeoutMs: timeoutMs, answerTimeoutMs } = this.#limits;
    const { maxBytes, maxDepth } = this.#sizesOf(kind);
    const maxObjects = Math.ceil(maxBytes / bytesPerObject);
    const gate = this.#gates[kind];
    checkContent(request.headers);
    if (gate.isFull) throw busy("queue_full");
    if (this.#outbox.isFull) throw busy("answers_held");
    const leaveClient = this.#clients.enter(request);
    let timer: NodeJS.Timeout | undefined;
    const run = async () => {
      const body = await readBody(request, { maxBytes, timeoutMs, held: this.#held, signal });
      timer = setTimeout(() => flight.abort(busy("timeout")), answerTimeoutMs);
      try {
        const value = parseBody(body.bytes, { maxDepth, maxObjects });
        const leave = await gate.enter(signal);
        // The place is taken until the work is really over, whoever still waits for it.
        return await work(value).finally(leave);
      } finally {
        body.release();
      }
    };
    const running = flight.track(run().finally(leaveClient));
    return untilAborted(running, signal).finally(() => clearTimeout(timer));
  }

  #sizesOf(kind: RequestKind): { readonly maxBytes: number; readonly maxDepth: number } {
    const { maxBodyBytes, maxIngestBytes, maxDepth, maxIngestDepth } = this.#limits;
    return kind === "ingest"
      ? { maxBytes: maxIngestBytes, maxDepth: maxIngestDepth }
      : { maxBytes: maxBodyBytes, maxDepth };
  }
}
