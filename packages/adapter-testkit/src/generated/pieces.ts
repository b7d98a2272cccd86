import { type JsonValue, type PartType, partsOf, partToWire, type Role } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { wellFormed } from "@pond/canonical/foreign";
import { leavesOf } from "../leaves.ts";

/** One part of a session, or one system message, by the features that identify it. */
export type Piece = {
  readonly role: Role;
  readonly type: PartType | "system";
  /** The marks in its values, wherever they are. */
  readonly marks: readonly string[];
  /** The text, if it is conversation. */
  readonly said: string | undefined;
  readonly callId: string | undefined;
};

/** The pieces of a session in order. */
export function piecesOf({ messages }: SessionContent): readonly Piece[] {
  return messages.flatMap((message): Piece | readonly Piece[] => {
    const { role } = message;
    if (message.role === "system") {
      const marks = marksOf([message.content, message.options]);
      return { role, type: "system", marks, said: undefined, callId: undefined };
    }
    return partsOf(message).map((part) => ({
      role,
      type: part.type,
      marks: marksOf(partToWire(part)),
      said:
        part.type === "text" && part.provenance === "conversational"
          ? wellFormed(part.text)
          : undefined,
      callId: "call_id" in part ? part.call_id : undefined,
    }));
  });
}

/** The marks in all texts of a value. */
export function marksOf(value: JsonValue): readonly string[] {
  return Array.from(leavesOf(value)).flatMap(({ value }) =>
    typeof value === "string" ? (value.match(/mark\d+\./g) ?? []) : [],
  );
}
