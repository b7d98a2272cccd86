import type { WireMessage, WireSession } from "@pond/canonical";
import type { Redactor } from "./redact/redactor.ts";

/** A message as JSON, with its parts in it. */
export type SharedMessage = Pick<WireMessage, "id" | "role" | "timestamp" | "content"> & {
  readonly options?: WireMessage["options"];
  /** True if the value shown is not the one stored first. */
  readonly revised?: boolean;
  /** True if the message is not as it was written, because its parts are lost. */
  readonly damaged?: boolean;
};

/** The content of a page. The messages are read once, one after the other. */
export type SharedSession = {
  readonly session: WireSession;
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
