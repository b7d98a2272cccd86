import { isJsonObject, type JsonValue, type Message } from "@pond/canonical";
import { type Course, carriedRecord } from "@pond/canonical/adapter";
import { type TreePlace, withoutAbandonedBranches } from "@pond/canonical/foreign";
import type { EntryFields } from "./entry-fields.ts";
import { isVisibleToModel } from "./model-input.ts";

/** Separates branches that were abandoned for another. */
export function withoutAbandoned(messages: readonly Message[], fields: EntryFields): Course {
  return withoutAbandonedBranches(messages, placesOf(messages, fields), {
    isVisibleToModel,
    isDeadEnd: isAbnormalExit,
  });
}

/** Parents are only looked for above, because the trees of real logs are not always intact. */
function placesOf(messages: readonly Message[], fields: EntryFields): readonly TreePlace[] {
  const indexes = new Map<JsonValue, number>();
  return messages.map((message, index): TreePlace => {
    const { id: own = message.id, parentId } = fields.get(message.id) ?? {};
    const parent = indexes.get(parentId ?? null);
    if (!indexes.has(own)) indexes.set(own, index);
    if (parentId === undefined) return { parent: undefined, branchPoint: undefined };
    if (parentId === null) return { parent: undefined, branchPoint: "the root" };
    // After a lost parent, an entry continues from the line above.
    const from = parent ?? (index === 0 ? undefined : index - 1);
    return { parent: from, branchPoint: from === undefined ? "the root" : String(from) };
  });
}

/**
 * True if a process of omp was killed. It may have been on an old branch while the session went on
 * in another one; only a process that leaves on its own says where it is.
 */
function isAbnormalExit(message: Message): boolean {
  const { customType, data } = carriedRecord(message) ?? {};
  if (customType !== "session_exit" || !isJsonObject(data)) return false;
  return data["kind"] !== "normal";
}
