/**
 * What is being done: `copy`, `check` and `mend` count rows, `compact` and `fold` tables, `pack` and
 * `unpack` bytes. What an earlier version stored is mended amid a fold.
 */
export type Step = "copy" | "compact" | "pack" | "unpack" | "check" | "fold" | "mend";

/** How far a step is, in what the step counts. */
export type Progress = { readonly step: Step; readonly done: number; readonly total: number };

/** Who is told, and when to stop. */
export type Watch = {
  /** Told often; whoever listens decides how often to show it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};
