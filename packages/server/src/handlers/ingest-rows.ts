import {
  allowedParts,
  type JsonObject,
  type MessageEvent,
  type PartEvent,
  type SessionEvent,
} from "@pond/canonical";
import type { RejectedRow, RowErrorCode } from "@pond/wire";
import { type ParsedEvent, readEvent } from "./ingest-event.ts";

/** An event and its place in the request. */
type Row<Event> = { readonly event: number; readonly value: Event };

/** A message with all of its parts. */
type MessageRows = {
  readonly rows: readonly Row<MessageEvent | PartEvent>[];
};

/** What a request holds of one session, in order, as far as it can be stored. */
export type SessionRows = {
  readonly id: string;
  /** Places of all its events, including rejected ones. */
  readonly events: readonly number[];
  /** Undefined if its own event is missing or was refused; then there are no messages. */
  readonly session: Row<SessionEvent> | undefined;
  readonly messages: readonly MessageRows[];
};

export type GroupedRows = {
  /** In the order of their first events. */
  readonly sessions: readonly SessionRows[];
  readonly rejected: readonly RejectedRow[];
};

/**
 * Sorts events by session and checks their order (`adapter-integrity-event-ordering`). A message
 * that lost a row is left out as a whole: without that row, it would not be what the source holds.
 */
export function groupRows(events: readonly unknown[]): GroupedRows {
  const grouper = new RowGrouper();
  for (const [event, value] of events.entries()) grouper.add(event, readEvent(value));
  return grouper.finish();
}

type OpenMessage = {
  readonly id: string | undefined;
  readonly rows: Row<MessageEvent | PartEvent>[];
  readonly partIds: Set<string>;
  /** The event because of which it is left out. */
  brokenBy: number | undefined;
};

type OpenSession = {
  readonly id: string;
  readonly events: number[];
  session: Row<SessionEvent> | undefined;
  /** The session's own event, if that was refused. */
  brokenBy: number | undefined;
  readonly messages: OpenMessage[];
  readonly byId: Map<string, OpenMessage>;
  /** Messages that lost a part before they came, and the event of that part. */
  readonly brokenIds: Map<string, number>;
};

/** A part that names another message than the one before it. */
type StrayPart = {
  readonly event: number;
  readonly session: OpenSession;
  readonly message_id: string;
  readonly behind: OpenMessage;
};

type InvalidEvent = Extract<ParsedEvent, { isValid: false }>;

const maxReasonChars = 200;

class RowGrouper {
  readonly #sessions = new Map<string, OpenSession>();
  readonly #rejected = new Map<number, RejectedRow>();
  /** The session of the previous event, as far as the event said. */
  #last: OpenSession | undefined;
  /** The message of the previous event. */
  #lastMessage: OpenMessage | undefined;
  readonly #strays: StrayPart[] = [];

  add(event: number, row: ParsedEvent): void {
    if (!row.isValid) {
      this.#refuse(event, row);
      this.#lastMessage = undefined;
      return;
    }
    const session = this.#sessionAt(row.sessionId, event);
    this.#last = session;
    const { value } = row;
    switch (value.kind) {
      case "session":
        this.#addSession(session, { event, value });
        break;
      case "message":
        this.#addMessage(session, { event, value });
        break;
      case "part":
        this.#addPart(session, { event, value });
    }
    this.#lastMessage = value.kind === "session" ? undefined : session.messages.at(-1);
  }

  finish(): GroupedRows {
    for (const { event, session, message_id, behind } of this.#strays) {
      // If it belongs to no message that came, it may belong to the one before it, and its ids are
      // the mistake.
      if (!session.byId.has(message_id)) behind.brokenBy ??= event;
    }
    const sessions = [...this.#sessions.values()].map((each): SessionRows => {
      const { id, events, session } = each;
      const messages = each.messages.filter((message) => this.#isWhole(message));
      return { id, events, session, messages };
    });
    return { sessions, rejected: [...this.#rejected.values()] };
  }

  #isWhole({ rows, brokenBy }: OpenMessage): boolean {
    if (brokenBy === undefined) return true;
    for (const { event } of rows) this.#leaveOut(event, brokenBy, "another row of its message");
    return false;
  }

  #sessionAt(id: string, event: number): OpenSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) {
      known.events.push(event);
      return known;
    }
    const session: OpenSession = {
      ...{ id, events: [event], session: undefined, brokenBy: undefined },
      ...{ messages: [], byId: new Map(), brokenIds: new Map() },
    };
    this.#sessions.set(id, session);
    return session;
  }

  #addSession(session: OpenSession, row: Row<SessionEvent>): void {
    if (session.session === undefined) session.session = row;
    else this.#reject(row.event, "duplicate", "this session came before");
  }

  #addMessage(session: OpenSession, row: Row<MessageEvent>): void {
    const { event, value } = row;
    const { id } = value.message;
    const brokenBy = session.brokenIds.get(id);
    const message: OpenMessage = { id, rows: [], partIds: new Set(), brokenBy };
    session.messages.push(message);
    if (session.session === undefined) {
      message.brokenBy = event;
      if (session.brokenBy !== undefined) this.#leaveOut(event, session.brokenBy, "its session");
      else this.#reject(event, "out_of_order", "its session must come before it");
    } else if (session.byId.has(id)) {
      message.brokenBy = event;
      this.#reject(event, "duplicate", "a message with this id came before");
    } else {
      message.rows.push(row);
      session.byId.set(id, message);
    }
  }

  #addPart(session: OpenSession, row: Row<PartEvent>): void {
    const { event } = row;
    const { id, message_id, type } = row.value.part;
    const message = session.messages.at(-1);
    if (message?.id !== message_id) {
      breakMessage(session, message_id, event);
      if (this.#lastMessage)
        this.#strays.push({ event, session, message_id, behind: this.#lastMessage });
      this.#reject(
        event,
        "out_of_order",
        "it must directly follow its message or another part of it",
      );
      return;
    }
    const header = message.rows[0]?.value;
    if (header?.kind !== "message") {
      this.#leaveOut(event, message.brokenBy ?? event, "its message");
    } else if (message.partIds.has(id)) {
      message.brokenBy ??= event;
      this.#reject(event, "duplicate", "a part with this id came before in its message");
    } else if (!allowedParts[header.message.role].includes(type)) {
      message.brokenBy ??= event;
      const reason = `a ${header.message.role} message holds no ${type} part`;
      this.#reject(event, "invalid", `part.type: ${reason}`, { path: "part.type", reason });
    } else {
      message.partIds.add(id);
      message.rows.push(row);
    }
  }

  /** Whatever it might have been a row of cannot be stored without it. */
  #refuse(event: number, { path, reason, kind, sessionId, messageId }: InvalidEvent): void {
    const place = path.slice(0, maxReasonChars).toWellFormed();
    const why = reason.slice(0, maxReasonChars).toWellFormed();
    this.#reject(event, "invalid", `${place}: ${why}`, { path: place, reason: why });
    if (sessionId !== undefined) this.#last = this.#sessionAt(sessionId, event);
    const session = this.#last;
    if (kind === "session") {
      if (sessionId !== undefined && session !== undefined) session.brokenBy ??= event;
    } else if (kind === "message") {
      session?.messages.push({ id: messageId, rows: [], partIds: new Set(), brokenBy: event });
    } else if (session !== undefined) {
      const id = messageId ?? session.messages.at(-1)?.id;
      if (id !== undefined) breakMessage(session, id, event);
    }
  }

  #leaveOut(event: number, brokenBy: number, what: string): void {
    if (this.#rejected.has(event)) return;
    this.#reject(event, "left_out", `${what} was refused: event ${brokenBy}`, { event: brokenBy });
  }

  #reject(event: number, code: RowErrorCode, message: string, details: JsonObject = {}): void {
    this.#rejected.set(event, { event, code, message, details });
  }
}

/** Leaves a message out, whether it came already or is still to come. */
function breakMessage({ byId, brokenIds }: OpenSession, id: string, event: number): void {
  const message = byId.get(id);
  if (message !== undefined) message.brokenBy ??= event;
  else if (!brokenIds.has(id)) brokenIds.set(id, event);
}
