import type { Session } from "@pond/canonical";
import { PackedList } from "@pond/canonical/adapter";
import type { Store } from "@pond/substrate";
import { loadParents } from "../read/ancestry.ts";
import { idApart, idWithin } from "./apart.ts";
import { type Begun, begunAbove, idAtClient } from "./begun-elsewhere.ts";
import { type Hung, hangBelow } from "./hang-below.ts";
import type { Child, SessionNames } from "./session-names.ts";

/** A session that was read, and the id of its parent at the client. */
type Read = readonly [
  id: string,
  agent: Child["source_agent"],
  project: string,
  shared: string,
  /** Its name in the store if that is not its id, and likewise the name its parent had then. */
  name: string | null,
  above: string | null,
];

/** Sessions whose parent may get another name when it is read, which is after them. */
export class Hanging {
  readonly #store: Store;
  readonly #names: SessionNames;
  #read = new PackedList<Read>();

  constructor(store: Store, names: SessionNames) {
    this.#store = store;
    this.#names = names;
  }

  /** @param child - The session as its client names it. */
  add({ id: name, parent_session_id: above }: Session, child: Session): void {
    const { id, parent_session_id: shared, source_agent, project } = child;
    if (!this.#names.areClientsApart || above === undefined || shared === undefined) return;
    // Names that say nothing new are left out: a home may hold a hundred thousand sessions.
    const names = [name === id ? null : name, above === shared ? null : above] as const;
    this.#read.push([id, source_agent, project, shared, ...names]);
  }

  /** Attaches sessions that came before their parent to the name that the parent got. */
  async hangAnew(): Promise<void> {
    const moved = [...this.#movedOf(this.#read), ...(await this.#hungBefore())];
    this.#read = new PackedList();
    await hangBelow(this.#store, moved);
  }

  /** The sessions among those read whose parent has another name by now. */
  *#movedOf(read: Iterable<Read>): Generator<Hung> {
    for (const [id, source_agent, project, shared, name, above] of read) {
      const sessionId = name ?? id;
      if (this.#names.putOff.has(sessionId)) continue;
      const from = above ?? shared;
      const to = this.#names.ofParent({ id, source_agent, project }, shared);
      if (to !== from) yield { sessionId, from, to };
    }
  }

  /** Sessions that an earlier run attached to what was there: their parent may have come since. */
  async #hungBefore(): Promise<readonly Hung[]> {
    const names = this.#names;
    if (!names.areClientsApart || !names.hasApart) return [];
    return [...(await loadParents(this.#store, "last"))].flatMap(([name, above]): Hung[] => {
      const stored = names.begun(name);
      if (above === null || !stored || names.putOff.has(name)) return [];
      const isOfClient = names.begun(above)?.sourceAgent === stored.sourceAgent;
      const to = isOfClient ? this.#nearer(stored, above) : this.#ofClient(name, stored, above);
      return to === above ? [] : [{ sessionId: name, from: above, to }];
    });
  }

  /**
   * The session of the same client whose id another client's session has, if a session belongs
   * below it.
   */
  #ofClient(id: string, { sourceAgent, project }: Begun, above: string): string {
    if (!this.#names.begun(idApart(sourceAgent, above))) return above;
    return this.#names.ofParent({ id, source_agent: sourceAgent, project }, above);
  }

  /**
   * The session that its client began nearer to where this one works than the one it is attached
   * to, under the same id, and not later than that one: nothing else says which of them it belongs
   * to.
   */
  #nearer({ sourceAgent, project, createdAt }: Begun, above: string): string {
    const stored = this.#names.begun(above);
    // The parent may have begun elsewhere itself, and be the nearest one of an earlier run.
    const elsewhere = stored && idAtClient(above, stored);
    const shared = elsewhere ?? idWithin(sourceAgent, above) ?? above;
    const others = [...this.#names.begunElsewhere(sourceAgent, shared)].filter(([id]) => {
      const began = this.#names.begun(id)?.createdAt;
      return began !== undefined && began <= createdAt;
    });
    const begun = stored ? [[above, stored.project] as const, ...others] : [];
    return begunAbove(begun, project) ?? above;
  }
}
