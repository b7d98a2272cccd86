/** A row of a message: its own, or a carrier. @inline */
type Revision = { readonly revision: bigint; readonly id: string };

/** The place of a message in its session. @inline */
type MessagePosition = {
  readonly ordinal: bigint;
  readonly timestamp: bigint;
  readonly id: string;
};

/**
 * Orders the rows of a message, the newest last. Equal revisions come from writers that raced; the
 * row id decides, for all readers alike.
 */
export function compareRevisions(left: Revision, right: Revision): number {
  if (left.revision !== right.revision) return left.revision < right.revision ? -1 : 1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

/** Orders the messages of a session by their places. */
export function comparePlaces(left: MessagePosition, right: MessagePosition): number {
  if (left.ordinal !== right.ordinal) return left.ordinal < right.ordinal ? -1 : 1;
  if (left.timestamp !== right.timestamp) return left.timestamp < right.timestamp ? -1 : 1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

/** Orders only by ordinals, to tell which of a few messages came first. */
export function byOrdinal(
  left: Pick<MessagePosition, "ordinal">,
  right: Pick<MessagePosition, "ordinal">,
): number {
  return left.ordinal < right.ordinal ? -1 : 1;
}
