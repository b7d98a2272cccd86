import { type JsonValue, jsonEqual } from "@pond/canonical";
import { fault } from "../faults.ts";
import { type StoredMessage, type StoredSession, updatedOf } from "./stored.ts";

/**
 * The record of a session that stands in a tree and in the tables that the client once converted
 * the tree to: the tree, which has more of it, or the tables where that was changed there since.
 * Where both went on, a fault names what stands in the tree alone.
 */
export function originalOf(rows: StoredSession, tree: StoredSession): StoredSession {
  const [{ messages: inRows, isWhole }, { messages: inTree }] = [
    messagesOf(rows),
    messagesOf(tree),
  ];
  const shared = [...inRows].filter(([id]) => inTree.has(id)).map(([, message]) => message);
  // All rows of parts were made at that moment.
  const converted = shared.reduce(
    (first, { partsCreated }) => Math.min(first, partsCreated),
    never,
  );
  // Of damaged tables nothing tells what was deleted from what cannot be read.
  const since = converted === never || !isWhole ? 0 : converted;
  const left = [...inTree].filter(([id]) => !inRows.has(id));
  // What was there before, and is not now, was deleted.
  const later = left.filter(([, { created }]) => created >= since);
  if (updatedOf(rows) <= updatedOf(tree) && shared.length === inRows.size) {
    const isSame = left.length === 0 && !isEdited(rows, tree);
    if (later.length > 0 || (isSame && shared.every(({ updated }) => updated <= converted))) {
      return tree;
    }
  }
  if (later.length === 0) return rows;
  const [file, database] = [tree.record.at.uri, rows.record.at.uri];
  const reason = `read from ${database} and not from here, where alone ${later.length} of its messages stand`;
  return { ...rows, faults: [...(rows.faults ?? []), fault(file, reason)] };
}

const never = Number.POSITIVE_INFINITY;

/** Times of a message, in milliseconds. */
type Times = {
  readonly created: number;
  /** When the first row of its parts was made, which they do not say themselves. */
  readonly partsCreated: number;
  /** When its row or one of its parts' was changed last. */
  readonly updated: number;
};

type Found = {
  readonly messages: ReadonlyMap<unknown, Times>;
  /** False where some of them cannot be read. */
  readonly isWhole: boolean;
};

function messagesOf(session: StoredSession): Found {
  const messages = new Map<unknown, Times>();
  let isWhole = true;
  for (const event of session.messages()) {
    if (event.kind === "fault" || event.isCut) isWhole = false;
    else messages.set(event.record.peek("id"), timesOf(event));
  }
  return { messages, isWhole };
}

function timesOf({ record, row, parts }: StoredMessage): Times {
  const rows = parts.map((part) => part.row);
  const inRow = (key: string, of: typeof rows): readonly number[] =>
    of.map((each) => each?.peek(key)).filter((value) => typeof value === "number");
  const created = record.record("time")?.peek("created");
  return {
    created: typeof created === "number" ? created : 0,
    partsCreated: Math.min(never, ...inRow("time_created", rows)),
    updated: Math.max(...inRow("time_updated", [row, ...rows])),
  };
}

/** A title, an archived time or a revert that is given in the tables leaves the time of the session. */
function isEdited(rows: StoredSession, tree: StoredSession): boolean {
  if (updatedOf(rows) !== updatedOf(tree)) return false;
  return !jsonEqual(editable(rows), editable(tree));
}

function editable({ record }: StoredSession): JsonValue {
  const archived = record.record("time")?.peek("archived");
  return [record.peek("title") ?? "", archived ?? null, record.peek("revert") ?? null];
}
