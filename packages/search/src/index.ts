export { FilterError, QueryError } from "./errors.ts";
export { refuseUnknown, type TimeBounds, timeBounds } from "./filter.ts";
export type {
  Explanation,
  SearchMatch,
  SearchOptions,
  SearchRequest,
  SearchResponse,
  SearchWarning,
  SessionMatches,
  Snippet,
} from "./request.ts";
export { search } from "./search.ts";
