import {
  type CanonicalEvent,
  EventValidator,
  isJsonObject,
  type MessageHeader,
  type Part,
  type Session,
  ValidationError,
} from "@pond/canonical";
import type { IngestOutcome, SessionHooks } from "./outcome.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";
import type { Incoming, LiveMessage } from "./reconcile.ts";
import type { Labels } from "./to-rows.ts";
import { WindowBuilder } from "./windows.ts";

/** What a known session's read leaves of a message that is stored as it is. */
export type Seen = Incoming & { readonly timestamp: bigint };

/** One session on its way in: checks its events and puts its messages together. */
export class Intake {
  readonly hooks: SessionHooks;
  readonly outcome: IngestOutcome = {
    session_id: undefined,
    status: "new",
    messages_added: 0,
    parts_added: 0,
    revisions: 0,
    tombstones: 0,
    deferred: 0,
    rejected: false,
    faults: 0,
    pending: 0,
  };
  labels: Labels = { sessionId: "", sourceAgent: "", project: "" };
  session: Session | undefined;
  /** Set for a session that is stored already. */
  live: ReadonlyMap<string, LiveMessage> | undefined;
  /** Every message of a known session, in order. */
  readonly seen: Seen[] = [];
  /** Those of them that the store does not hold so, by position. */
  readonly changed: Map<number, PreparedMessage> = new Map();
  readonly windows: WindowBuilder = new WindowBuilder();
  position = 0;
  readonly #validator = new EventValidator();
  #header: MessageHeader | undefined;
  #parts: Part[] = [];
  #ready: PreparedMessage[] = [];

  constructor(hooks: SessionHooks) {
    this.hooks = hooks;
  }

  /** Takes an event; false where it breaks the model, which ends the session as failed. */
  accept(event: CanonicalEvent): boolean {
    try {
      this.#validator.accept(event);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      this.outcome.status = "failed";
      this.outcome.error = error;
      return false;
    }
    if (event.kind === "part") this.#parts.push(event.part);
    else if (event.kind === "message") {
      this.close();
      this.#header = event.message;
    }
    return true;
  }

  open(session: Session, labels: Labels, live: ReadonlyMap<string, LiveMessage> | undefined): void {
    this.session = session;
    this.labels = labels;
    this.live = live;
    this.outcome.session_id = session.id;
  }

  /** The message under way is complete: another event or the end has come. */
  close(): void {
    const header = this.#header;
    if (header === undefined) return;
    const message = prepareMessage(header, this.#parts);
    this.#header = undefined;
    this.#parts = [];
    this.#window(message);
    if (this.live === undefined) {
      this.#ready.push(message);
      return;
    }
    const { digest } = message;
    if (this.live.get(header.id)?.digest !== digest) this.changed.set(this.seen.length, message);
    this.seen.push({ id: header.id, digest, timestamp: header.timestamp });
  }

  /** The messages of a new session that are complete, once. */
  take(): readonly PreparedMessage[] {
    const ready = this.#ready;
    if (ready.length > 0) this.#ready = [];
    return ready;
  }

  #window({ header, searchText }: PreparedMessage): void {
    if (searchText !== null) this.windows.add(header.id, header.timestamp, searchText);
    else if (isCompaction(header)) this.windows.close();
  }
}

/** Adapters mark the record at which a client compacted its context. */
function isCompaction({ options }: MessageHeader): boolean {
  const source = options["source"];
  return isJsonObject(source) && source["boundary"] === "compaction";
}
