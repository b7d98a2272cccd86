import type { WireMessage, WireSession } from "@pond/canonical";
import type { Redactor } from "./redact/redactor.ts";

/** A message as JSON, its parts inside. */
export type SharedMessage = Pick<WireMessage, "id" | "role" | "timestamp" | "content"> & {
  readonly options?: WireMessage["options"];
  /** The value shown is not the one first stored. */
  readonly revised?: boolean;
  /** It is not what was written: its parts are gone. */
  readonly damaged?: boolean;
};

/** What a page is made of; its messages are read once, one after the other. */
export type SharedSession = {
  readonly session: WireSession;
  /** What its client calls it; else its page is called as what was asked first begins. */
  readonly title?: string | undefined;
  readonly messages: Iterable<SharedMessage> | AsyncIterable<SharedMessage>;
  /** The ids of sessions that began in this one. */
  readonly children?: readonly string[];
};

/** How a page is made. */
export type PageOptions = {
  /** Every text passes it before it is written; the page ends with what it replaced. */
  readonly redactor?: Redactor | undefined;
};
