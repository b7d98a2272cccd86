import type { WireMessage, WirePart, WireSession } from "@pond/canonical";
import type { Redactor } from "./redact/redactor.ts";

/** A part as JSON. Its ids are not shown. */
export type SharedPart = {
  [Type in WirePart["type"]]: Omit<
    Extract<WirePart, { readonly type: Type }>,
    "id" | "session_id" | "message_id"
  >;
}[WirePart["type"]];

/**
 * A message as JSON, with its parts in it: a `WireMessage`, or as `readPages` of `@pond/sessions` and
 * `messages` of `@pond/client` give it.
 */
export type SharedMessage = {
  readonly id: string;
  readonly role: WireMessage["role"];
  readonly timestamp: string;
  readonly content?: string | readonly SharedPart[];
  /** What was said in it; shown if there is no `content`. */
  readonly text?: string;
  readonly options?: WireMessage["options"];
  /** True if the value shown is not the one stored first. */
  readonly revised?: boolean;
  /** True if the message is not as it was written, because its parts are lost. */
  readonly damaged?: boolean;
};

/** The content of a page. The messages are read once, one after the other. */
export type SharedSession = {
  readonly session: Pick<WireSession, "source_agent" | "project" | "created_at"> & {
    readonly id: string;
    readonly parent_session_id?: string;
  };
  /** The title that its client gave it. Without one, the title is how the first prompt begins. */
  readonly title?: string | undefined;
  readonly messages: Iterable<SharedMessage> | AsyncIterable<SharedMessage>;
  /** The ids of the sessions that began in this one. */
  readonly children?: readonly string[];
};

/** The options of a page. */
export type PageOptions = {
  /** Redacts every text before it is written. The page ends with the counts of what it replaced. */
  readonly redactor?: Redactor | undefined;
};
