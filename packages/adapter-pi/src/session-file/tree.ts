import { type SessionEntry, textAt } from "./entry.ts";
import { EntryNotFoundError } from "./errors.ts";

/** An entry with what comes after it, and the last label given to it. */
export type SessionTreeNode = {
  readonly entry: SessionEntry;
  readonly children: readonly SessionTreeNode[];
  readonly label: string | undefined;
};

/** The entries of a session by their links. Several roots are possible, and so are cycles. */
export class SessionTree {
  readonly #entries: SessionEntry[] = [];
  readonly #byId: Map<string, SessionEntry> = new Map();
  readonly #labels: Map<string, string> = new Map();

  constructor(entries: Iterable<SessionEntry> = []) {
    for (const entry of entries) this.add(entry);
  }

  /** All entries, in the order of the file. */
  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  /** Adds an entry after all others. If a second one has the same id, that one is found by it. */
  add(entry: SessionEntry): void {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    const target = entry.type === "label" ? textAt(entry, "targetId") : undefined;
    if (target === undefined) return;
    const label = textAt(entry, "label");
    if (label) this.#labels.set(target, label);
    else this.#labels.delete(target);
  }

  /** The entry of that id, if there is one. */
  get(id: string): SessionEntry | undefined {
    return this.#byId.get(id);
  }

  /** @throws {EntryNotFoundError} */
  require(id: string): SessionEntry {
    const entry = this.#byId.get(id);
    if (entry === undefined) throw new EntryNotFoundError(id);
    return entry;
  }

  /** The label at an entry: the last one given, unless it was removed. */
  label(id: string): string | undefined {
    return this.#labels.get(id);
  }

  /** Labels by their entry, in the order in which they were first given. */
  get labels(): ReadonlyMap<string, string> {
    return this.#labels;
  }

  /** Entries that name `parentId` as their parent; for `null`, those without one. */
  children(parentId: string | null): readonly SessionEntry[] {
    return this.#entries.filter((entry) => entry.parentId === parentId);
  }

  /** The entries from the root to an entry, both included. A cycle is left where it closes. */
  branch(id: string): readonly SessionEntry[] {
    const path: SessionEntry[] = [];
    const seen = new Set<string>();
    for (let entry = this.get(id); entry && !seen.has(entry.id); ) {
      seen.add(entry.id);
      path.push(entry);
      entry = entry.parentId === null ? undefined : this.get(entry.parentId);
    }
    return path.reverse();
  }

  /**
   * All entries as trees. Entries without a parent, or whose parent is missing or themselves, are
   * roots; children are in the order of their times. A cycle begins where the file first names one
   * of its entries, so that nothing is left out.
   */
  nodes(): readonly SessionTreeNode[] {
    type MutableNode = { entry: SessionEntry; children: MutableNode[]; label: string | undefined };
    const nodes = new Map<string, MutableNode>();
    for (const entry of this.#byId.values()) {
      nodes.set(entry.id, { entry, children: [], label: this.label(entry.id) });
    }
    const roots: MutableNode[] = [];
    const rooted = new Set<string>();
    for (const node of nodes.values()) {
      const { parentId } = node.entry;
      const isRoot = parentId === null || parentId === node.entry.id || !nodes.has(parentId);
      const closesCycle = !isRoot && !this.#endsAtRoot(node.entry, rooted);
      if (isRoot || closesCycle) roots.push(node);
      else nodes.get(parentId)?.children.push(node);
    }
    for (const { children } of nodes.values()) children.sort(byTime);
    return roots;
  }

  /**
   * False for the first entry of each cycle that the file names; it then counts as its root.
   *
   * @param sound - Entries known to end at a root; this walk adds those it finds.
   */
  #endsAtRoot(entry: SessionEntry, rooted: Set<string>): boolean {
    const seen = new Set<string>();
    let at: SessionEntry | undefined = entry;
    while (at && !rooted.has(at.id) && !seen.has(at.id)) {
      seen.add(at.id);
      at = at.parentId === null || at.parentId === at.id ? undefined : this.get(at.parentId);
    }
    if (at === entry) {
      rooted.add(entry.id);
      return false;
    }
    // What is below another cycle is found from there.
    const isInCycle = at !== undefined && seen.has(at.id);
    if (!isInCycle) for (const id of seen) rooted.add(id);
    return true;
  }
}

function byTime(left: { entry: SessionEntry }, right: { entry: SessionEntry }): number {
  return timeOf(left.entry) - timeOf(right.entry);
}

function timeOf(entry: SessionEntry): number {
  return Date.parse(textAt(entry, "timestamp") ?? "") || 0;
}
