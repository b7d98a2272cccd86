/**
 * The steps of the work: `copy`, `check` and `mend` count rows, `compact` and `fold` count tables,
 * `pack` and `unpack` count bytes. `mend` updates, during a fold, what an earlier version stored.
 */
export type Step = "copy" | "compact" | "pack" | "unpack" | "check" | "fold" | "mend";

/** The progress of a step, in the unit that the step counts. */
export type Progress = { readonly step: Step; readonly done: number; readonly total: number };

/** Who is told about progress, and when to stop. */
export type ProgressOptions = {
  /** Called often; the callback decides how often to show it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};
