import type { JsonObject, Message, Part } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";

/** A part, and the other parts that the same record became. */
type PartGroup = { readonly first: Part; readonly others: readonly Part[] };

/** The content of one place of a message: a record kept whole, or one that became parts. */
type MessageSlot =
  | { readonly kind: "kept"; readonly record: JsonObject; readonly at: number }
  | ({ readonly kind: "parts" } & PartGroup);

/**
 * What the parts of a message came from, in order: the records kept at `part.N` between the others.
 */
export function slotsOf(message: Message): readonly MessageSlot[] {
  const source = sourceOf(message);
  const groups = groupsOf(partsOf(message));
  const slots: MessageSlot[] = [];
  for (;;) {
    const record = source[`part.${slots.length}`];
    if (isJsonObject(record)) slots.push({ kind: "kept", record, at: slots.length });
    else {
      const group = groups.shift();
      if (group === undefined) return slots;
      slots.push({ kind: "parts", ...group });
    }
  }
}

function groupsOf(parts: readonly Part[]): PartGroup[] {
  const groups: { first: Part; others: Part[] }[] = [];
  for (const part of parts) {
    const follows = sourceOf(part)["follows"] === true;
    if (follows && groups.length > 0) groups.at(-1)?.others.push(part);
    else groups.push({ first: part, others: [] });
  }
  return groups;
}
