/**
 * What is being done: `copy` and `check` count rows, `compact` and `fold` tables, `pack` and
 * `unpack` bytes.
 */
export type Step = "copy" | "compact" | "pack" | "unpack" | "check" | "fold";

/** How far a step is, in what the step counts. */
export type Progress = { readonly step: Step; readonly done: number; readonly total: number };

/** Who is told, and when to stop. */
export type Watch = {
  /** Told often; whoever listens decides how often to show it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};
