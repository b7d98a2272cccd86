import type { Cell, ContentCheck, ContentVerdict, Row } from "@pond/substrate";
import { ingestingSince } from "../read/without-session-row.ts";
import { isMendedRow } from "../revisions/revisions.ts";
import { sessionTables } from "../tables.ts";
import { checkRow } from "./check-row.ts";
import { sessionColumns } from "./from-rows.ts";
import {
  checkedColumns,
  checkedPartColumns,
  isCarrierWhole,
  isHeadOf,
  isMessageWhole,
  isTextOf,
  ownParts,
} from "./message-content.ts";
import { tornDigest } from "./message-digest.ts";

const columns: ContentCheck["columns"] = {
  sessions: sessionColumns,
  messages: [
    ...checkedColumns,
    ...["source_agent", "project", "search_text", "is_searchable", "head", "revises"],
    "ingested_at",
  ],
  parts: checkedPartColumns,
  windows: ["session_id", "id", "message_ids"],
};

/** What is wrong with a row. */
export type FindingKind = "digest" | "extra" | "session" | "text" | "head" | "form";

/**
 * What is reported about a row: the problem, or that it could not be checked because it waited for
 * too long.
 */
export type ReportedKind = FindingKind | "unchecked";

/** How much a check may hold back, and who is told what it finds. */
export type CheckOptions = {
  /**
   * How many bytes of messages and parts may wait for the rest. Anything beyond counts as
   * unchecked.
   */
  readonly maxBytes?: number;
  /** Called with every row that is wrong, and every message that could not be checked. */
  readonly onFinding?: (table: string, kind: ReportedKind, row: Row) => void;
};

const reasons: Readonly<Record<FindingKind, string>> = {
  digest: "these messages, or parts of them, are not what was written",
  extra: "their messages were written without these parts",
  session: "their sessions have no row, so nothing shows these messages",
  // Made of the message, which is whole.
  text: "search finds these messages by a text of others",
  head: "search shows something else for these messages",
  form: "pond writes no such rows",
};

/** A message, or parts of one, that were read and wait for the rest. */
type Waiting = { message: Row | undefined; messageBytes: number; parts: Row[]; partBytes: number };

/**
 * The first message of a session that was read, how many it has, and when the newest was stored.
 */
type SessionMessages = { readonly first: Row; rows: number; newest: number };

// Little waits if nothing is lost, because parts are in the order of their messages.
const maxWaitingBytes = 256 * 1024 * 1024;
const rowBytes = 400;
const maxIds = 20;

/**
 * Checks whether stored rows are what was written, as far as they show it themselves: a message and
 * its parts by its digest, the text that search finds it by because it can be made again, sessions
 * and windows only by their form. Good for one reading of a store.
 */
export function checkContent(options: CheckOptions = {}): ContentCheck {
  return new StoredContentCheck(options);
}

class StoredContentCheck implements ContentCheck {
  readonly columns: ContentCheck["columns"] = columns;
  readonly #maxBytes: number;
  readonly #waiting: Map<string, Waiting> = new Map();
  #waitingBytes = 0;
  /** Bytes of messages that wait for parts, less those of parts that wait for messages. */
  #messageLeadBytes = 0;
  /** Carriers that are not what was written. */
  readonly #broken: Row[] = [];
  /** Keys and digests of what was stored again. */
  readonly #mended: Set<string> = new Set();
  /** What was no longer waited for. */
  readonly #givenUp: Set<string> = new Set();
  #unchecked = 0;
  readonly #bySession: Map<string, SessionMessages> = new Map();
  readonly #sessionIds: Set<string> = new Set();
  #checksSessions = false;
  readonly #findings: Findings;
  readonly #onFinding: CheckOptions["onFinding"];

  constructor({ maxBytes = maxWaitingBytes, onFinding }: CheckOptions) {
    this.#maxBytes = maxBytes;
    this.#onFinding = onFinding;
    this.#findings = new Findings(onFinding);
  }

  /**
   * Messages and parts alternately, so that little has to wait. Messages first: parts are written
   * before them, so the parts of every message are there, whatever is written in the meantime.
   */
  next(tables: readonly string[]): string | undefined {
    this.#checksSessions ||= tables.includes("sessions");
    const wanted = this.#messageLeadBytes > 0 ? "parts" : "messages";
    return tables.includes(wanted) ? wanted : tables[0];
  }

  add(table: string, rows: readonly Row[]): void {
    if (table === "messages") this.#addMessages(rows);
    else if (table === "parts") this.#addParts(rows);
    else {
      for (const row of rows) {
        if (table === "sessions") this.#sessionIds.add(String(row["id"]));
        if (!passes(() => checkRow(table, row))) this.#findings.add(table, "form", row);
      }
    }
  }

  finish(damaged: ReadonlySet<string>): ReadonlyMap<string, ContentVerdict> {
    // What is waited for may be what was lost, which is reported already.
    const isLost = damaged.has("parts");
    for (const row of this.#broken) {
      if (!this.#isMended(row)) this.#findings.add("messages", "digest", row);
    }
    for (const { message, parts } of this.#waiting.values()) {
      if (message === undefined) {
        // The parts of a message that was never written begin with its first.
        const isExtra = !isLost && parts.every(({ ordinal }) => Number(ordinal) !== 0);
        if (isExtra) for (const part of parts) this.#findings.add("parts", "extra", part);
      } else if (this.#isMended(message)) continue;
      else if (isLost) this.#unchecked += 1;
      else this.#findings.add("messages", "digest", message);
    }
    // A session's own row comes last: an interrupted ingest leaves these, too.
    if (this.#checksSessions && !damaged.has("sessions")) {
      const since = ingestingSince();
      for (const [sessionId, { first, rows, newest }] of this.#bySession) {
        if (this.#sessionIds.has(sessionId) || newest >= since) continue;
        this.#findings.add("messages", "session", first, rows);
      }
    }
    return this.#findings.verdicts(this.#unchecked);
  }

  #addMessages(rows: readonly Row[]): void {
    const touched = new Set<string>();
    for (const row of rows) {
      const sessionId = String(row["session_id"]);
      const ofSession = this.#bySession.get(sessionId) ?? {
        first: keyCells(row),
        rows: 0,
        newest: 0,
      };
      this.#bySession.set(sessionId, ofSession);
      ofSession.rows += 1;
      ofSession.newest = Math.max(ofSession.newest, Number(row["ingested_at"]));
      if (row["revises"] !== null) {
        if (!passes(() => isCarrierWhole(row))) this.#broken.push(row);
        else if (isMendedRow(String(row["id"]))) this.#mended.add(valueKeyOf(row));
        continue;
      }
      // Its parts belong to several states.
      if (row["digest"] === tornDigest) continue;
      const key = keyOf(row["session_id"], row["id"]);
      if (this.#givenUp.has(key)) this.#giveUp(row);
      else {
        this.#change(key, (waiting) => {
          // There is one row for each key.
          if (waiting.message) this.#findings.add("messages", "digest", waiting.message);
          waiting.message = row;
          waiting.messageBytes = bytesOf(row, "content", "options", "search_text");
        });
        touched.add(key);
      }
    }
    this.#settle(touched);
  }

  #isMended(row: Row): boolean {
    return this.#mended.has(valueKeyOf(row));
  }

  #addParts(rows: readonly Row[]): void {
    const touched = new Set<string>();
    for (const row of rows) {
      const key = keyOf(row["session_id"], row["message_id"]);
      if (this.#givenUp.has(key)) continue;
      this.#change(key, (waiting) => {
        waiting.parts.push(row);
        waiting.partBytes += bytesOf(row, "variant_data", "options", "data");
      });
      touched.add(key);
    }
    this.#settle(touched);
  }

  #change(key: string, change: (waiting: Waiting) => void): void {
    let waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      waiting = { message: undefined, messageBytes: 0, parts: [], partBytes: 0 };
      this.#waiting.set(key, waiting);
    } else this.#count(waiting, -1);
    change(waiting);
    this.#count(waiting, 1);
  }

  #count({ message, messageBytes, partBytes }: Waiting, sign: 1 | -1): void {
    this.#waitingBytes += sign * (messageBytes + partBytes);
    this.#messageLeadBytes += sign * (message ? messageBytes : -partBytes);
  }

  #settle(keys: ReadonlySet<string>): void {
    for (const key of keys) {
      const waiting = this.#waiting.get(key);
      const message = waiting?.message;
      if (waiting === undefined || message === undefined) continue;
      if (!isMessageWhole(message, waiting.parts)) continue;
      const parts = ownParts(message, waiting.parts);
      this.#waiting.delete(key);
      this.#count(waiting, -1);
      if (!passes(() => isTextOf(message, parts))) this.#findings.add("messages", "text", message);
      if (!passes(() => isHeadOf(message, parts))) this.#findings.add("messages", "head", message);
    }
    for (const [key, waiting] of this.#waiting) {
      if (this.#waitingBytes <= this.#maxBytes) break;
      this.#waiting.delete(key);
      this.#count(waiting, -1);
      this.#givenUp.add(key);
      if (waiting.message) this.#giveUp(waiting.message);
    }
  }

  #giveUp(message: Row): void {
    this.#unchecked += 1;
    this.#onFinding?.("messages", "unchecked", message);
  }
}

/** What is wrong with rows, and with which. */
class Findings {
  readonly #onFinding: CheckOptions["onFinding"];
  readonly #found: Map<string, Map<FindingKind, { rows: number; ids: string[][] }>> = new Map();

  constructor(onFinding: CheckOptions["onFinding"]) {
    this.#onFinding = onFinding;
  }

  add(table: string, kind: FindingKind, row: Row, rows: number = 1): void {
    this.#onFinding?.(table, kind, row);
    const kinds = this.#found.get(table) ?? new Map();
    this.#found.set(table, kinds);
    const finding = kinds.get(kind) ?? { rows: 0, ids: [] };
    kinds.set(kind, finding);
    finding.rows += rows;
    const { primaryKey = [] } = sessionTables.find(({ name }) => name === table) ?? {};
    if (finding.ids.length < maxIds) finding.ids.push(primaryKey.map((name) => String(row[name])));
  }

  verdicts(unchecked: number): ReadonlyMap<string, ContentVerdict> {
    const verdicts = new Map<string, ContentVerdict>();
    for (const [table, kinds] of this.#found) {
      const damages = [...kinds].map(([kind, { rows, ids }]) => ({
        ...{ files: [], reason: reasons[kind], ids },
        rows: kind === "text" || kind === "head" ? 0 : rows,
      }));
      verdicts.set(table, { damages });
    }
    if (unchecked === 0) return verdicts;
    const { damages = [] } = verdicts.get("messages") ?? {};
    return verdicts.set("messages", { damages, uncheckedRows: unchecked });
  }
}

/** Also false if it cannot even be read. */
function passes(check: () => unknown): boolean {
  try {
    return check() !== false;
  } catch {
    return false;
  }
}

function keyOf(sessionId: Cell | undefined, messageId: Cell | undefined): string {
  return `${sessionId}\0${messageId}`;
}

/**
 * A message and its value: a carrier and the row that it follows have one key if they say the same.
 */
function valueKeyOf({ session_id, id, revises, digest }: Row): string {
  return keyOf(keyOf(session_id, revises ?? id), digest);
}

/** Only the cells that name a row. */
function keyCells({ session_id = null, id = null }: Row): Row {
  return { session_id, id };
}

function bytesOf(row: Row, ...names: readonly string[]): number {
  let bytes = rowBytes;
  for (const name of names) {
    const cell = row[name];
    if (typeof cell === "string" || cell instanceof Uint8Array) bytes += cell.length;
  }
  return bytes;
}
