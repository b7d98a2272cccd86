import type { Embedder } from "@pond/embed";
import { normalizeQuery, type ParsedQuery } from "./query.ts";

// No model reads what is cut off here: a model takes some hundred tokens, and cuts at its own.
const maxEmbeddedChars = 8_000;

/** The part of a query that is put to a model: everything except what is to be excluded. */
export function textToEmbed(raw: string, { excluded }: Pick<ParsedQuery, "excluded">): string {
  // As the query was read, so that excluded words are found however they were typed.
  let text = normalizeQuery(raw.slice(0, maxEmbeddedChars));
  for (const each of excluded) {
    const said = each.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const excluding = `(?<!\\S)-(?:["“«「]\\s*${said}\\s*["”»」]|${said}(?!\\S))`;
    text = text.replaceAll(new RegExp(excluding, "gu"), " ");
  }
  return text.trim();
}

/**
 * Embeds a query.
 *
 * @param timeoutMs - After this time the search goes on without a vector.
 * @throws {Error} if the embedder fails, takes too long, or returns something that is not a vector.
 */
export async function queryVector(
  embedder: Embedder,
  text: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<Float32Array> {
  const late = `${embedder.modelId} gave no vector in ${timeoutMs / 1000} s`;
  const vectors = await withTimeout({ signal, timeoutMs, late }, (either) =>
    embedder.embed([text], { kind: "query", signal: either }),
  );
  const [vector] = vectors;
  if (vector === undefined || vectors.length !== 1) {
    throw new Error(`${embedder.modelId} returned ${vectors.length} vectors for a query`);
  }
  if (vector.length !== embedder.dimension) {
    throw new Error(`${embedder.modelId} returned ${vector.length} numbers for a query`);
  }
  const length = Math.hypot(...vector);
  // Lance finds nothing near such a vector, and does not say why.
  if (!Number.isFinite(length) || length === 0) {
    throw new Error(`${embedder.modelId} returned a vector without a direction for a query`);
  }
  return vector.map((number) => number / length);
}

// A timer takes no more.
const maxTimerMs = 2 ** 31 - 1;

/** Not every embedder listens to a signal; and even if all wait for one, its time still passes. */
async function withTimeout<T>(
  {
    signal,
    timeoutMs,
    late,
  }: {
    readonly signal: AbortSignal | undefined;
    readonly timeoutMs: number;
    readonly late: string;
  },
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
  });
  const stop = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(late, "TimeoutError")),
    Math.min(timeoutMs, maxTimerMs),
  );
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([ask(controller.signal), aborted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
