import { PondError } from "@pond/canonical";
import { search as find } from "@pond/search";
import type { SearchRequest, SearchResponse, SearchWarning } from "@pond/wire";
import type { Resources } from "../resources.ts";
import { withoutAges } from "./ages.ts";
import { withIdCandidates } from "./id-candidates.ts";

/**
 * Returns ranked messages, grouped by session. How they were found is for the operator only (spec
 * 8).
 */
export async function search(
  request: SearchRequest,
  { open, embedding, isPersonal, onWarningWithheld, now, signal }: Resources,
): Promise<SearchResponse> {
  const { protocol_version: _, namespace: __, ...fields } = request;
  const asked = { ...fields, ...withoutAges(fields, now()) };
  const sessions = await open("read");
  const options = { embedder: embedding.embedder, signal, withTitles: true };
  const found = await find(sessions, asked, options).catch(async (error: unknown) => {
    throw await withIdCandidates(error, sessions, request.session ?? "");
  });
  const { failure } = embedding;
  const own = failure === undefined ? [] : [warningOf(failure)];
  const warnings = [...own, ...(found.warnings ?? [])];
  if (warnings.length === 0) return found;
  if (isPersonal) return { ...found, warnings };
  for (const warning of warnings.filter(hasReason)) onWarningWithheld(warning);
  return { ...found, warnings: warnings.map(withoutReason) };
}

/** A model that cannot be used costs a search its meaning, never the search itself. */
function warningOf(failure: Error): SearchWarning {
  const why = PondError.is(failure) ? `: ${failure.message}` : "";
  return { code: "embedding_failed", message: `${unusable}${why}` };
}

const unusable = "the model cannot be used, so only words were searched";

/** The reason may come from storage, a file or an endpoint, which are no business of a tenant. */
function withoutReason(warning: SearchWarning): SearchWarning {
  return hasReason(warning) ? { ...warning, message: unusable } : warning;
}

function hasReason({ code }: SearchWarning): boolean {
  return code === "embedding_failed";
}
