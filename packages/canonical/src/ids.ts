import * as v from "valibot";

declare const brand: unique symbol;

/** Opaque id of a session (`adapter-integrity-opaque-ids`). */
export type SessionId = string & { readonly [brand]: "SessionId" };
/** Opaque id of a message; unique only within its session. */
export type MessageId = string & { readonly [brand]: "MessageId" };
/** Opaque id of a part; unique only within its message. */
export type PartId = string & { readonly [brand]: "PartId" };

// Storage would replace a lone surrogate, and two such ids could then collide.
const idText = v.pipe(
  v.string(),
  v.nonEmpty("an id is not empty"),
  v.check((text) => text.isWellFormed(), "an id holds no lone surrogate"),
);

/** Checks a session id: text that is not empty and that storage keeps unchanged. */
export const sessionIdSchema: v.GenericSchema<string, SessionId> = v.pipe(
  idText,
  v.transform((text) => text as SessionId),
);
/** Checks a message id by the same rules. */
export const messageIdSchema: v.GenericSchema<string, MessageId> = v.pipe(
  idText,
  v.transform((text) => text as MessageId),
);
/** Checks a part id by the same rules. */
export const partIdSchema: v.GenericSchema<string, PartId> = v.pipe(
  idText,
  v.transform((text) => text as PartId),
);
