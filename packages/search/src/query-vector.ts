import type { Embedder } from "@pond/embed";
import { inOneForm } from "@pond/sessions";
import type { ParsedQuery } from "./query.ts";

// What is cut off no model reads: it takes some hundred tokens. The model cuts at its own.
const embeddedChars = 8_000;

/** What of a query a model is asked: all that was said but for what is to be left out. */
export function textToEmbed(raw: string, { excluded }: Pick<ParsedQuery, "excluded">): string {
  // As the query was read, so that what is excluded is found however it was typed.
  let text = inOneForm(
    raw
      .slice(0, embeddedChars)
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " "),
  );
  for (const each of excluded) {
    const said = each.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const excluding = `(?<!\\S)-(?:["“«「]\\s*${said}\\s*["”»」]|${said}(?!\\S))`;
    text = text.replaceAll(new RegExp(excluding, "gu"), " ");
  }
  return text.trim();
}

/**
 * The vector of a query.
 *
 * @param timeoutMs - After so long the search goes on without it.
 * @throws {Error} where the embedder fails, takes too long, or returns what is no vector.
 */
export async function queryVector(
  embedder: Embedder,
  text: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<Float32Array> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const embedding = embedder.embed([text], { kind: "query", signal: either });
  const vectors = await Promise.race([embedding, rejectsOn(either)]);
  const [vector] = vectors;
  if (vector === undefined || vectors.length !== 1) {
    throw new Error(`${embedder.modelId} returned ${vectors.length} vectors for a query`);
  }
  if (vector.length !== embedder.dimension) {
    throw new Error(`${embedder.modelId} returned ${vector.length} numbers for a query`);
  }
  // Lance finds nothing near to either, and does not say why.
  if (!vector.every(Number.isFinite) || vector.every((value) => value === 0)) {
    throw new Error(`${embedder.modelId} returned no direction for a query`);
  }
  return vector;
}

/** Not every embedder listens to a signal. */
function rejectsOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
