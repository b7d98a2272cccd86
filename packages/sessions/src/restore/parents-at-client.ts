import type { Session } from "@pond/canonical";
import type { NativeParent, Writer } from "@pond/canonical/adapter";
import type { Store } from "@pond/substrate";
import { loadOutline, type StoredState } from "../read/outline.ts";
import { clientIdOf } from "./client-ids.ts";
import { writtenBy } from "./lineage.ts";

/** Which values, and what the client has. */
type ParentOptions = {
  readonly at: StoredState;
  readonly hasFile: (path: string) => boolean;
};

/**
 * What a session of another client descends from, its parent first, as far as the client wrote it
 * and still has it.
 */
export async function parentsAtClient(
  store: Store,
  session: Session,
  writer: Writer,
  { at, hasFile }: ParentOptions,
): Promise<readonly NativeParent[]> {
  const parents: NativeParent[] = [];
  if (session.source_agent === writer.origin) return parents;
  const seen = new Set<string>([session.id]);
  for (let id = session.parent_session_id; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const [own] = await writtenBy(store, [id], writer.origin);
    if (own === undefined) break;
    const { session: stored } = await loadOutline(store, id, at);
    const parent = { ...stored, id: await clientIdOf(store, stored) };
    const alone = { root: { session: parent, messages: [] }, descendants: [] };
    const [file] = writer.writeNative(alone);
    if (file === undefined || !hasFile(file.path)) break;
    parents.push({ session: parent, path: file.path });
    id = parent.parent_session_id;
  }
  return parents;
}
