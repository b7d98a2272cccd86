import * as v from "valibot";

declare const brand: unique symbol;

/** Opaque id of a session (`adapter-integrity-opaque-ids`). */
export type SessionId = string & { readonly [brand]: "SessionId" };
/** Opaque id of a message, unique within its session only. */
export type MessageId = string & { readonly [brand]: "MessageId" };
/** Opaque id of a part, unique within its message only. */
export type PartId = string & { readonly [brand]: "PartId" };

// A lone surrogate would be replaced on storage, and two such ids could then collide.
const idText = v.pipe(
  v.string(),
  v.nonEmpty("an id is not empty"),
  v.check((text) => text.isWellFormed(), "an id holds no lone surrogate"),
);

/** Checks the id of a session: text that is not empty and can be stored as it is. */
export const sessionIdSchema: v.GenericSchema<string, SessionId> = v.pipe(
  idText,
  v.transform((text) => text as SessionId),
);
/** Checks the id of a message, by the same rules. */
export const messageIdSchema: v.GenericSchema<string, MessageId> = v.pipe(
  idText,
  v.transform((text) => text as MessageId),
);
/** Checks the id of a part, by the same rules. */
export const partIdSchema: v.GenericSchema<string, PartId> = v.pipe(
  idText,
  v.transform((text) => text as PartId),
);
