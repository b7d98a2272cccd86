import type { Origin } from "@pond/canonical/adapter";

/** Where the two clients differ; everything else of the format they share. */
export type Dialect = {
  readonly origin: Origin;
  /** The model of a `model_change`: pi names provider and model apart, omp in one string. */
  readonly modelName: "apart" | "joined";
  /** True where images may stand as `blob:sha256:` in the log and as files beside it. */
  readonly hasBlobs: boolean;
  /** True where the first line is a slot of 256 bytes for the title. */
  readonly hasTitleSlot: boolean;
  /** True where sub-agents lie in a folder named as the log of their session. */
  readonly hasAgents: boolean;
  /** True where the client moves old sessions to `archive/sessions`, their logs compressed. */
  readonly hasArchive: boolean;
  /** True where the client imports sessions of others, and says so behind what it copied. */
  readonly hasImports: boolean;
  /** True where settings say which folder sessions are kept in. */
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
