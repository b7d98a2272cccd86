import type { Meanings, Writer } from "@pond/canonical/adapter";
import type { Embedder } from "@pond/embed";
import type { SessionStore } from "@pond/sessions";
import type { SearchWarning } from "@pond/wire";
import type { HandlerLimits } from "./limits.ts";
import type { Upkeep } from "./upkeep.ts";

/** The clients that sessions can be restored for. */
export type Restorers = {
  /** By client brand. */
  readonly writers: ReadonlyMap<string, Writer>;
  /** How to interpret the calls and records of other clients. */
  readonly meanings?: Meanings;
};

/** Whatever makes a search go by meaning. */
type Embedding = {
  /** Borrowed; never closed here. */
  readonly embedder?: Embedder | undefined;
  /** Why the configured model cannot be used. */
  readonly failure?: Error | undefined;
  /** Why none is configured. */
  readonly absence: string;
};

/** What a handler works with, for one request. */
export type Resources = {
  /** Opens the store of the request's namespace. */
  readonly open: (mode: "read" | "write") => Promise<SessionStore>;
  readonly embedding: Embedding;
  readonly restorers: Restorers;
  readonly limits: HandlerLimits;
  /** Whether the caller may know where things are, and why a model fails. */
  readonly isPersonal: boolean;
  /** Given the warnings whose reasons a caller may not know. */
  readonly onWarningWithheld: (warning: SearchWarning) => void;
  readonly host: string | undefined;
  readonly now: () => Date;
  readonly upkeep: Upkeep;
  readonly signal: AbortSignal | undefined;
};

/** Answers one kind of request. Independent of the transport (spec 7.1). */
export type Handler<Request, Response> = (
  request: Request,
  resources: Resources,
) => Promise<Response>;
