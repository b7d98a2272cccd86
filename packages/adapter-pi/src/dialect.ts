import type { Origin } from "@pond/canonical/adapter";

/** The differences between the two clients; they share everything else of the format. */
export type Dialect = {
  readonly origin: Origin;
  /** The model of a `model_change`: pi names provider and model separately, omp in one string. */
  readonly modelName: "apart" | "joined";
  /** True if images may be `blob:sha256:` references in the log, with files beside it. */
  readonly hasBlobs: boolean;
  /** True if the first line is a slot of 256 bytes for the title. */
  readonly hasTitleSlot: boolean;
  /** True if sub-agents are in a folder with the name of their session's log. */
  readonly hasAgents: boolean;
  /** True if the client moves old sessions to `archive/sessions`, with their logs compressed. */
  readonly hasArchive: boolean;
  /** True if the client imports sessions of others, and says so after what it copied. */
  readonly hasImports: boolean;
  /** True if settings say in which folder sessions are kept. */
  readonly hasSessionDir: boolean;
};

export const pi: Dialect = {
  origin: "pi",
  modelName: "apart",
  hasBlobs: false,
  hasTitleSlot: false,
  hasAgents: false,
  hasArchive: false,
  hasImports: false,
  hasSessionDir: true,
};

export const omp: Dialect = {
  origin: "omp",
  modelName: "joined",
  hasBlobs: true,
  hasTitleSlot: true,
  hasAgents: true,
  hasArchive: true,
  hasImports: true,
  hasSessionDir: false,
};
