import * as v from "valibot";

/** The major version of the protocol. Within it, schemas only grow (spec 7.2). */
export const protocolVersion = 1;

/** The fields that every request carries. */
export type Envelope = {
  readonly protocol_version: typeof protocolVersion;
  /** The tenant. Left out, it is the only one of a personal pond. */
  readonly namespace?: string | undefined;
};

export const envelope: {
  readonly protocol_version: v.GenericSchema<typeof protocolVersion>;
  readonly namespace: v.OptionalSchema<v.GenericSchema<string>, undefined>;
} = {
  protocol_version: v.pipe(
    v.literal(protocolVersion),
    v.description("Version of the protocol that the request uses."),
  ),
  namespace: v.optional(
    v.pipe(
      v.string(),
      v.description("The tenant; if left out, the one of the namespace header, else `default`."),
    ),
  ),
};

/** The most characters of an id, and of a label. */
export const maxIdChars = 4096;

/** The schema of an id in a request. */
export function id(description: string): v.GenericSchema<string> {
  return v.pipe(v.string(), v.nonEmpty(), v.maxLength(maxIdChars), v.description(description));
}
