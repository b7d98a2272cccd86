import { PondError } from "@pond/canonical";
import { search as find } from "@pond/search";
import type { SearchRequest, SearchResponse, SearchWarning } from "@pond/wire";
import type { Resources } from "../resources.ts";

/** Ranked messages, grouped by session. How they were found is the operator's to see (spec 8). */
export async function search(
  request: SearchRequest,
  { open, embedding, signal }: Resources,
): Promise<SearchResponse> {
  const { protocol_version: _, namespace: __, ...asked } = request;
  const sessions = await open("read");
  const found = await find(sessions, asked, { embedder: embedding.embedder, signal });
  if (embedding.failure === undefined) return found;
  return { ...found, warnings: [warningOf(embedding.failure), ...(found.warnings ?? [])] };
}

/** A model that cannot be used takes the meaning from a search, never the search itself. */
function warningOf(failure: Error): SearchWarning {
  const why = PondError.is(failure) ? `: ${failure.message}` : "";
  const message = `the model cannot be used, so only words were searched${why}`;
  return { code: "embedding_failed", message };
}
