import type { Meanings, Writer } from "@pond/canonical/adapter";
import type { Embedder } from "@pond/embed";
import type { SessionStore } from "@pond/sessions";
import type { HandlerLimits } from "./limits.ts";
import type { Upkeep } from "./upkeep.ts";

/** The clients that sessions can be restored for. */
export type Restorers = {
  /** By client brand. */
  readonly writers: ReadonlyMap<string, Writer>;
  /** What other clients' calls and records mean. */
  readonly meanings?: Meanings;
};

/** What makes a search go by meaning. */
type Embedding = {
  /** Borrowed; never closed here. */
  readonly embedder?: Embedder | undefined;
  /** Why a model that was configured cannot be used. */
  readonly failure?: Error | undefined;
  /** Why none is configured. */
  readonly absence: string;
};

/** What a handler works with; one request's worth. */
export type Resources = {
  /** The store of the request's namespace. */
  readonly open: (mode: "read" | "write") => Promise<SessionStore>;
  readonly embedding: Embedding;
  readonly restorers: Restorers;
  readonly limits: HandlerLimits;
  /** Whether who asks may know where things are, and why a model fails. */
  readonly isPersonal: boolean;
  readonly host: string | undefined;
  readonly now: () => Date;
  readonly upkeep: Upkeep;
  readonly signal: AbortSignal | undefined;
};

/** Answers one kind of request. Knows no transport (spec 7.1). */
export type Handler<Request, Response> = (
  request: Request,
  resources: Resources,
) => Promise<Response>;
