import { qualifiedId } from "@pond/sessions";
import {
  loadParents,
  nearestByProject,
  type Reattachment,
  reattachSessions,
} from "@pond/sessions/rows";
import type { Store } from "@pond/substrate";
import type { NamedSessions } from "./name-sessions.ts";

/**
 * Attaches sessions to the current name of their parent in another store. They may have arrived
 * there before the parent got that name, in this copy or an earlier one.
 *
 * @param formerNames - Names that sessions had in the meantime, by their ids.
 */
export async function reattachRenamed(
  store: Store,
  { names, source, target }: NamedSessions,
  to: Store,
  formerNames: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  if (names.isEmpty && formerNames.size === 0) return;
  const targetParents = await loadParents(to, "last");
  const reattachments: Reattachment[] = [];
  for (const [id, parentId] of await loadParents(store, "last")) {
    if (parentId === null) continue;
    const [child, name, labels] = [names.nameOf(id), names.nameOf(parentId), source.get(parentId)];
    const from = targetParents.get(child);
    if (labels === undefined || typeof from !== "string" || from === name) continue;
    const former = [
      parentId,
      qualifiedId(labels.sourceAgent, parentId),
      ...(formerNames.get(parentId) ?? []),
    ];
    if (!former.includes(from) || isOtherNearer(child, from, [name, labels.project])) continue;
    reattachments.push({ sessionId: child, from, to: name });
  }
  await reattachSessions(to, reattachments);

  /** True if the client began another session there that is nearer. */
  function isOtherNearer(
    child: string,
    from: string,
    renamedParent: readonly [string, string],
  ): boolean {
    const [own, other] = [target.get(child), target.get(from)];
    if (own === undefined || own.sourceAgent !== other?.sourceAgent) return false;
    return nearestByProject([renamedParent, [from, other.project]], own.project) === from;
  }
}
