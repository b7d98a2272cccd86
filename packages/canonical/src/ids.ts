import * as v from "valibot";

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** Opaque id of a session (`adapter-integrity-opaque-ids`). */
export type SessionId = Branded<string, "SessionId">;
/** Opaque id of a message, unique within its session only. */
export type MessageId = Branded<string, "MessageId">;
/** Opaque id of a part, unique within its message only. */
export type PartId = Branded<string, "PartId">;

// A lone surrogate would be replaced on storage, and two such ids could then collide.
const idText = v.pipe(
  v.string(),
  v.nonEmpty("an id is not empty"),
  v.check((text) => text.isWellFormed(), "an id holds no lone surrogate"),
);

export const sessionIdSchema: v.GenericSchema<string, SessionId> = v.pipe(
  idText,
  v.transform((text) => text as SessionId),
);
export const messageIdSchema: v.GenericSchema<string, MessageId> = v.pipe(
  idText,
  v.transform((text) => text as MessageId),
);
export const partIdSchema: v.GenericSchema<string, PartId> = v.pipe(
  idText,
  v.transform((text) => text as PartId),
);
