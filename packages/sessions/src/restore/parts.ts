import type { SessionId } from "@pond/canonical";
import type { Lineage, Origin, SessionContent } from "@pond/canonical/adapter";

/** Sessions of a lineage that are restored together. */
export type Part = {
  /** True where the client wrote all of them, false where it wrote none. */
  readonly isNative: boolean;
  readonly root: SessionContent;
  readonly descendants: readonly SessionContent[];
};

/**
 * A lineage, cut where the client wrote a session and not its parent, or the parent alone: a fork in
 * another client takes nothing from what it was forked from. A translation does not name what was
 * restored natively: the writers know by their own ids alone what they wrote.
 */
export function partsOf({ root, descendants }: Lineage, client: Origin): readonly Part[] {
  const parts: Part[] = [];
  const places = new Map<SessionId, Part & { readonly descendants: SessionContent[] }>();
  // Parents come first.
  for (const content of [root, ...descendants]) {
    const { id, parent_session_id: parent, source_agent } = content.session;
    const isNative = source_agent === client;
    const above = parent === undefined ? undefined : places.get(parent);
    if (above?.isNative === isNative) {
      above.descendants.push(content);
      places.set(id, above);
    } else {
      const part = { isNative, root: content, descendants: [] };
      parts.push(part);
      places.set(id, part);
    }
  }
  return parts;
}
