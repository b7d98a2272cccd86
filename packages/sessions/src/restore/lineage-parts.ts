import type { Session, SessionId } from "@pond/canonical";
import type { Lineage, Origin, SessionContent } from "@pond/canonical/adapter";

/** Sessions of a lineage that are restored together. */
export type LineagePart = {
  /** True if the client wrote all of them, false if it wrote none. */
  readonly isNative: boolean;
  readonly root: SessionContent;
  readonly descendants: readonly SessionContent[];
  /** What the client wrote above a root that it did not write, the root's parent first. */
  readonly parents: readonly Session[];
};

/**
 * Cuts a lineage where the client wrote only one of a session and its parent. A fork in another
 * client takes nothing from what it was forked from.
 */
export function lineageParts(
  { root, descendants }: Lineage,
  client: Origin,
): readonly LineagePart[] {
  const parts: LineagePart[] = [];
  const places = new Map<SessionId, LineagePart & { readonly descendants: SessionContent[] }>();
  // Parents come first.
  for (const content of [root, ...descendants]) {
    const { id, parent_session_id: parent, source_agent } = content.session;
    const isNative = source_agent === client;
    const parentPart = parent === undefined ? undefined : places.get(parent);
    if (parentPart?.isNative === isNative) {
      parentPart.descendants.push(content);
      places.set(id, parentPart);
    } else {
      const parents = parentPart?.isNative ? selfAndAncestors(parent, parentPart) : [];
      const part = { isNative, root: content, descendants: [], parents };
      parts.push(part);
      places.set(id, part);
    }
  }
  return parts;
}

/** A session of a part and the sessions above it in the part. */
function selfAndAncestors(
  id: SessionId | undefined,
  { root, descendants }: LineagePart,
): Session[] {
  const members = new Map<SessionId | undefined, Session>(
    descendants.map(({ session }) => [session.id, session]),
  );
  const found: Session[] = [];
  for (let at = members.get(id); at; at = members.get(at.parent_session_id)) found.push(at);
  return [...found, root.session];
}
