import type { Session } from "@pond/canonical";
import { ordinalGap } from "../revisions/ordinals.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { addPiece, WindowBuilder, windowPiece } from "../search/windows.ts";
import type { Batch } from "./batch.ts";
import type { IncomingSession } from "./incoming-session.ts";
import type { SessionWriter } from "./session-writer.ts";
import { heldAfterRead } from "./source-place.ts";

/**
 * Writes a session that is not stored, as far as is known. Every message is written at once, those
 * of a huge session over several batches, and its own row with the last of them.
 */
export class NewSessionWriter implements SessionWriter {
  readonly heldBytes = 0;
  readonly #session: Session;
  readonly #host: string | undefined;
  readonly #incoming: IncomingSession;
  readonly #windows = new WindowBuilder();
  readonly #ids: string[] = [];
  #position = 0n;

  constructor(session: Session, host: string | undefined, incoming: IncomingSession) {
    this.#session = session;
    this.#host = host;
    this.#incoming = incoming;
    incoming.outcome.status = "new";
    incoming.windowIds = [];
  }

  add(message: PreparedMessage, batch: Batch): void {
    batch.addMessage(this.#incoming, message, this.#position * ordinalGap);
    this.#position += 1n;
    this.#ids.push(message.header.id);
    if (addPiece(this.#windows, windowPiece(message))) this.#addWindows(batch);
  }

  async flush(): Promise<void> {}

  async finish(batch: Batch): Promise<void> {
    this.#windows.close();
    this.#addWindows(batch);
    const { place, outcome } = this.#incoming;
    if (place) {
      outcome.agreed_at = Number(batch.ingestedAt);
      outcome.held = heldAfterRead(this.#ids, new Set(), outcome.agreed_at);
    }
    batch.addSession(this.#incoming, this.#session, this.#host);
  }

  #addWindows(batch: Batch): void {
    const windows = this.#windows.take();
    for (const { id } of windows) this.#incoming.windowIds?.push(id);
    batch.addWindows(this.#incoming, windows);
  }
}
