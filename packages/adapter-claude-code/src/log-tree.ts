import type { JsonObject, JsonValue, Message } from "@pond/canonical";
import { carriedRecord, objectAt, restOf, sourceOf } from "@pond/canonical/adapter";
import { LateRows } from "./late-rows.ts";

/** Where a message stands in the tree of its log. */
export type Place = {
  /** The index of its parent. */
  readonly parent: number | undefined;
  /** The index where its tree begins: with the log, after a compaction, or below a gap. */
  readonly tree: number;
  /** True for a message of the same record as its parent, or of a repetition of that record. */
  readonly isSameRecord: boolean;
  /** True for a record that already stands above. */
  readonly isRepeated: boolean;
  /** For a compaction that kept the newest rows after its summary: where those begin. */
  readonly kept?: number | undefined;
};

/** Parents are only looked for above, because the trees of real logs are not always intact. */
export function placesOf(messages: readonly Message[]): readonly Place[] {
  const indexes = new Map<JsonValue, number>();
  // By the summary of a compaction, the last row that it kept: the client attaches what follows
  // there.
  const keptEnds = new Map<JsonValue, number>();
  const places: Place[] = [];
  const late = new LateRows(messages, places);
  for (const [index, message] of messages.entries()) {
    const record = recordOf(message);
    const { parentUuid, logicalParentUuid } = record;
    if (record["type"] === "last-prompt" && record["explicit"] === true) late.noteRewind();
    const uuid = uuidOf(message);
    const named = parentUuid ?? logicalParentUuid ?? null;
    const isContinuation = sourceOf(message)["continues"] !== undefined;
    const repeated = isContinuation || parentUuid === undefined ? undefined : indexes.get(uuid);
    const same = isContinuation ? places.length - 1 : repeated;
    const namedParent = keptEnds.get(named) ?? indexes.get(named);
    const parent = same ?? late.parentOf(index, namedParent);
    const above = parent === undefined ? undefined : places[parent];
    const isCompaction = typeof logicalParentUuid === "string";
    const tree = above === undefined || isCompaction ? index : above.tree;
    const isSameRecord = above !== undefined && same === parent;
    const isRepeated = isContinuation ? above?.isRepeated === true : repeated !== undefined;
    const kept = keptSegment(record, indexes);
    places.push({ parent: above && parent, tree, isSameRecord, isRepeated, kept: kept?.start });
    if (kept) keptEnds.set(kept.summary, kept.end);
    if (!indexes.has(uuid)) indexes.set(uuid, index);
  }
  return places;
}

/** The rows above that a compaction kept after its summary. */
function keptSegment(record: JsonObject, indexes: ReadonlyMap<JsonValue, number>) {
  const { headUuid, anchorUuid, tailUuid } = objectAt(
    objectAt(record, "compactMetadata"),
    "preservedSegment",
  );
  // If it is the anchor itself, the first rows were kept: the summary comes after those.
  if (typeof anchorUuid !== "string" || anchorUuid === record["uuid"]) return undefined;
  const [start, end] = [indexes.get(headUuid ?? null), indexes.get(tailUuid ?? null)];
  return start === undefined || end === undefined ? undefined : { summary: anchorUuid, start, end };
}

/** The path up from a message, including itself, to the start of the log or of its tree. */
export function pathToRoot(
  end: number,
  places: readonly Place[],
  tree?: number,
): ReadonlySet<number> {
  const line = new Set<number>();
  for (let at: number | undefined = end; at !== undefined; at = places[at]?.parent) {
    if (tree !== undefined && places[at]?.tree !== tree) break;
    if (at >= 0) line.add(at);
  }
  return line;
}

/** The client's record that a message was read from, or what is left of it besides its parts. */
export function recordOf(message: Message): JsonObject {
  return carriedRecord(message) ?? restOf(sourceOf(message));
}

/** The id by which other records refer to that of a message. */
export function uuidOf(message: Message): JsonValue {
  return recordOf(message)["uuid"] ?? message.id;
}
