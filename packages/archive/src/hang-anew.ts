import { idApart } from "@pond/sessions";
import { begunAbove, type Hung, hangBelow, loadParents } from "@pond/sessions/rows";
import type { Store } from "@pond/substrate";
import type { NamedSessions } from "./names-apart.ts";

/**
 * Attaches sessions to the current name of their parent in another store. They may have arrived
 * there before the parent got that name, in this copy or an earlier one.
 *
 * @param left - Names that sessions had in the meantime, by their ids.
 */
export async function hangAnew(
  store: Store,
  { names, given, there }: NamedSessions,
  to: Store,
  left: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  if (names.isEmpty && left.size === 0) return;
  const hanging = await loadParents(to, "last");
  const hung: Hung[] = [];
  for (const [id, above] of await loadParents(store, "last")) {
    if (above === null) continue;
    const [child, name, labels] = [names.nameOf(id), names.nameOf(above), given.get(above)];
    const from = hanging.get(child);
    if (labels === undefined || typeof from !== "string" || from === name) continue;
    const former = [above, idApart(labels.sourceAgent, above), ...(left.get(above) ?? [])];
    if (!former.includes(from) || isOther(child, from, [name, labels.project])) continue;
    hung.push({ sessionId: child, from, to: name });
  }
  await hangBelow(to, hung);

  /** True if the client began another session there that is nearer. */
  function isOther(child: string, from: string, begun: readonly [string, string]): boolean {
    const [own, other] = [there.get(child), there.get(from)];
    if (own === undefined || own.sourceAgent !== other?.sourceAgent) return false;
    return begunAbove([begun, [from, other.project]], own.project) === from;
  }
}
