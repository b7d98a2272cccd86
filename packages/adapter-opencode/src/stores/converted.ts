import { type JsonValue, jsonEqual } from "@pond/canonical";
import { fault } from "../faults.ts";
import { type Stored, type StoredMessage, type StoredSession, updatedOf } from "./stored.ts";

/**
 * Chooses the record of a session that is in a tree and in the tables that the client once made of
 * it. It is the tree, which holds more, unless the session changed in the tables since, or the
 * tree's own file is broken. If both continued, a fault names what is only in the tree.
 *
 * @param hasOthersCreatedAt - Whether rows of another session were created in that millisecond.
 */
export function originalOf(
  rows: StoredSession,
  tree: StoredSession,
  hasOthersCreatedAt: (ms: number) => boolean,
): StoredSession {
  const [{ messages: inRows, isWhole }, { messages: inTree }] = [
    messagesOf(rows),
    messagesOf(tree),
  ];
  const shared = [...inRows].filter(([id]) => inTree.has(id)).map(([, message]) => message);
  const onlyInTree = [...inTree].filter(([id]) => !inRows.has(id));
  const creationMs = sharedCreationMs(shared);
  // All parts are searched for those of another session, but only if something depends on them.
  const isRelevant = onlyInTree.length > 0 || shared.some((each) => isChanged(each, creationMs));
  const isConverted = creationMs !== undefined && isRelevant && hasOthersCreatedAt(creationMs);
  const converted = isConverted ? creationMs : undefined;
  // In damaged tables, nothing distinguishes what was deleted from what cannot be read.
  const since = isWhole ? (converted ?? 0) : 0;
  // What was there before and is not now was deleted.
  const later = onlyInTree.filter(([, { created }]) => created >= since);
  if (!tree.isCut && updatedOf(rows) <= updatedOf(tree) && shared.length === inRows.size) {
    const isSame = onlyInTree.length === 0 && !isEdited(rows, tree);
    if (later.length > 0 || (isSame && !shared.some((each) => isChanged(each, converted)))) {
      return tree;
    }
  }
  if (later.length === 0) return rows;
  const [file, database] = [tree.record.at.uri, rows.record.at.uri];
  const reason = `read from ${database} and not from here, where alone ${later.length} of its messages stand`;
  return { ...rows, faults: [...(rows.faults ?? []), fault(file, reason)] };
}

/**
 * When the rows of all parts were made, if that was in one millisecond. A conversion of the tree
 * makes them like that, for all sessions at once; an import, for one session. What an import lacks
 * was not deleted, because it stops at a record that the client refuses.
 */
function sharedCreationMs(shared: readonly Times[]): number | undefined {
  const made = shared.map(({ partsCreated }) => partsCreated).filter((time) => time !== never);
  const [first] = made;
  return made.every((time) => time === first) ? first : undefined;
}

/** True if a row of a message, or of its parts, was changed since it was made. */
function isChanged({ updated, partsCreated, hasChangedPart }: Times, converted = never): boolean {
  return hasChangedPart || updated > Math.min(partsCreated, converted);
}

const never = Number.POSITIVE_INFINITY;

/** Times of a message, in milliseconds. */
type Times = {
  readonly created: number;
  /** When the first row of its parts was made, which the parts do not say themselves. */
  readonly partsCreated: number;
  /** When its own row was last changed; it is made no later than those of its parts. */
  readonly updated: number;
  readonly hasChangedPart: boolean;
};

type Found = {
  readonly messages: ReadonlyMap<unknown, Times>;
  /** False if some of them cannot be read. */
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
  const made = parts.map((part) => timeIn(part, "time_created") ?? never);
  const created = record.record("time")?.peek("created");
  return {
    created: typeof created === "number" ? created : 0,
    partsCreated: made.reduce((first, each) => Math.min(first, each), never),
    updated: timeIn({ record, row }, "time_updated") ?? 0,
    hasChangedPart: parts.some((part, index) => {
      return (timeIn(part, "time_updated") ?? 0) > (made[index] ?? never);
    }),
  };
}

function timeIn({ row }: Stored, key: string): number | undefined {
  const time = row?.peek(key);
  return typeof time === "number" ? time : undefined;
}

/**
 * A title, an archived time or a revert that is set in the tables does not change the time of the
 * session.
 */
function isEdited(rows: StoredSession, tree: StoredSession): boolean {
  if (updatedOf(rows) !== updatedOf(tree)) return false;
  return !jsonEqual(editableFields(rows), editableFields(tree));
}

function editableFields({ record }: StoredSession): JsonValue {
  const archived = record.record("time")?.peek("archived");
  return [record.peek("title") ?? "", archived ?? null, record.peek("revert") ?? null];
}
