/** A row of a message: its own, or a carrier. @inline */
type Revision = { readonly revision: bigint; readonly id: string };

/**
 * Orders the rows of a message, the newest last. Equal revisions come from writers that raced; the row
 * id decides, for all readers alike.
 */
export function compareRevisions(left: Revision, right: Revision): number {
  if (left.revision !== right.revision) return left.revision < right.revision ? -1 : 1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}
