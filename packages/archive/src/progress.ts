/**
 * What is being done: `copy` and `check` count rows, `compact` and `fold` tables, `pack` and
 * `unpack` bytes.
 */
export type Step = "copy" | "compact" | "pack" | "unpack" | "check" | "fold";

export type Progress = { readonly step: Step; readonly done: number; readonly total: number };

export type Watch = {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};
