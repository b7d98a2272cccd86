import type { Session } from "@pond/canonical";
import { PackedList } from "@pond/canonical/adapter";
import type { Store } from "@pond/substrate";
import { loadParents } from "../read/ancestry.ts";
import { qualifiedId, unqualifiedId } from "./qualified-ids.ts";
import { type Reattachment, reattachSessions } from "./reattach-sessions.ts";
import { idAtClient, nearestByProject, type SessionStart } from "./reused-ids.ts";
import type { Child, SessionNames } from "./session-names.ts";

/**
 * A session that was read, by its number among the known ones, and the id of its parent at the
 * client. What says nothing new is left out: a home may hold hundreds of thousands of sub-agents.
 */
type ReadChild = readonly [
  number: number,
  clientParentId: string,
  /** The name its parent had then, if that is not its id. */
  parentName: string | null,
  /** The session as its client names it, if it is known as another. */
  child: Child | null,
];

/** Sessions whose parent may get another name when it is read, which is after them. */
export class ParentLinks {
  readonly #store: Store;
  readonly #names: SessionNames;
  #read = new PackedList<ReadChild>();

  constructor(store: Store, names: SessionNames) {
    this.#store = store;
    this.#names = names;
  }

  /**
   * @param session - Known by its name.
   * @param child - The session as its client names it.
   */
  add({ id: name, parent_session_id: parentName }: Session, child: Session): void {
    const { id, parent_session_id: clientParentId, source_agent, project } = child;
    if (!this.#names.shouldQualifyIds || parentName === undefined || clientParentId === undefined)
      return;
    const number = this.#names.numberOf(name);
    const known = this.#names.startOf(name);
    if (number === undefined) return;
    const isSame = name === id && known?.sourceAgent === source_agent && known.project === project;
    const own = isSame ? null : { id, source_agent, project };
    this.#read.push([
      number,
      clientParentId,
      parentName === clientParentId ? null : parentName,
      own,
    ]);
  }

  /** Attaches sessions that came before their parent to the name that the parent got. */
  async reattach(): Promise<void> {
    const moved = [...this.#withRenamedParent(this.#read), ...(await this.#attachedEarlier())];
    this.#read = new PackedList();
    await reattachSessions(this.#store, moved);
  }

  /** The sessions among those read whose parent has another name by now. */
  *#withRenamedParent(read: Iterable<ReadChild>): Generator<Reattachment> {
    for (const [number, clientParentId, parentName, own] of read) {
      const known = this.#names.at(number);
      // A session whose id was left to another one is read again in the next run.
      if (known === undefined || this.#names.deferredIds.has(known.id)) continue;
      const from = parentName ?? clientParentId;
      const to = this.#names.parentName(own ?? known, clientParentId);
      if (to !== from) yield { sessionId: known.id, from, to };
    }
  }

  /** Sessions that an earlier run attached to what was there: their parent may have come since. */
  async #attachedEarlier(): Promise<readonly Reattachment[]> {
    const names = this.#names;
    if (!names.shouldQualifyIds || !names.hasQualified) return [];
    return [...(await loadParents(this.#store, "last"))].flatMap(
      ([name, parentName]): Reattachment[] => {
        const stored = names.startOf(name);
        if (parentName === null || !stored || names.deferredIds.has(name)) return [];
        const isOfClient = names.startOf(parentName)?.sourceAgent === stored.sourceAgent;
        const to = isOfClient
          ? this.#nearestParent(stored, parentName)
          : this.#parentOfSameClient(name, stored, parentName);
        return to === parentName ? [] : [{ sessionId: name, from: parentName, to }];
      },
    );
  }

  /**
   * The session of the same client whose id another client's session has, if a session belongs
   * below it.
   */
  #parentOfSameClient(
    id: string,
    { sourceAgent, project }: SessionStart,
    parentName: string,
  ): string {
    if (!this.#names.startOf(qualifiedId(sourceAgent, parentName))) return parentName;
    return this.#names.parentName({ id, source_agent: sourceAgent, project }, parentName);
  }

  /**
   * The session that its client began nearer to where this one works than the one it is attached
   * to, under the same id, and not later than that one: nothing else says which of them it belongs
   * to.
   */
  #nearestParent({ sourceAgent, project, createdAt }: SessionStart, parentName: string): string {
    const stored = this.#names.startOf(parentName);
    // The parent may have begun elsewhere itself, and be the nearest one of an earlier run.
    const reusedId = stored && idAtClient(parentName, stored);
    const clientParentId = reusedId ?? unqualifiedId(sourceAgent, parentName) ?? parentName;
    const others = [...this.#names.reusesOf(sourceAgent, clientParentId)].filter(([id]) => {
      const began = this.#names.startOf(id)?.createdAt;
      return began !== undefined && began <= createdAt;
    });
    const candidates = stored ? [[parentName, stored.project] as const, ...others] : [];
    return nearestByProject(candidates, project) ?? parentName;
  }
}
