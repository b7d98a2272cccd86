import type { SessionEntry } from "./entry.ts";
import { textAt } from "./entry.ts";
import type { SessionTree } from "./tree.ts";

/**
 * The entries of a branch as a session of their own: without its labels, with the gaps that these
 * left closed, and with the labels whose entry still exists repeated at the end.
 */
export function branchedEntries(
  tree: SessionTree,
  leafId: string,
  newId: (isTaken: (id: string) => boolean) => string,
  now: Date,
): readonly SessionEntry[] {
  const kept = tree.branch(leafId).filter(({ type }) => type !== "label");
  const ids = new Set(kept.map(({ id }) => id));
  const chained = kept.map((entry, index): SessionEntry => {
    return { ...entry, parentId: kept[index - 1]?.id ?? null };
  });
  let parentId = kept.at(-1)?.id ?? null;
  const labels = [...tree.labels].filter(([target]) => ids.has(target));
  const given = labels.map(([targetId, label]): SessionEntry => {
    const id = newId((each) => ids.has(each));
    ids.add(id);
    const timestamp = timeOfLabel(tree, targetId) ?? now.toISOString();
    const entry = { type: "label", id, parentId, timestamp, targetId, label };
    parentId = id;
    return entry;
  });
  return [...chained, ...given];
}

function timeOfLabel(tree: SessionTree, targetId: string): string | undefined {
  const label = tree.entries.findLast(
    (entry) => entry.type === "label" && textAt(entry, "targetId") === targetId,
  );
  return label && textAt(label, "timestamp");
}
