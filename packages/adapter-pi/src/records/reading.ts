import type { Micros, SessionEvent } from "@pond/canonical";
import type { Extracted } from "@pond/canonical/adapter";
import type { ImportedPrompts } from "../imported.ts";
import type { EntryNormalizer, Era } from "../migration.ts";
import type { AgentTask } from "../provenance.ts";
import type { Blobs } from "./blobs.ts";
import type { EntryIds } from "./entry-ids.ts";

/** What reading one session remembers from entry to entry. */
export type Reading = {
  readonly session: SessionEvent;
  /** The session's own time, for entries without one (`model-no-synthesis` allows it). */
  readonly anchor: Extracted<Micros>;
  readonly era: Era;
  readonly normalizer: EntryNormalizer;
  readonly ids: EntryIds;
  /** Tool names by call id; calls come before their results. */
  readonly toolNames: Map<string, Extracted<string>>;
  readonly blobs: Blobs;
  /** Set for the log of a sub-agent of omp. */
  readonly agent: AgentTask | undefined;
  /** Empty for pi, which imports nothing. */
  readonly prompts: ImportedPrompts;
};
