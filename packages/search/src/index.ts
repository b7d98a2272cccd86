export { FilterError, QueryError } from "./errors.ts";
export type {
  Explanation,
  SearchMatch,
  SearchRequest,
  SearchResponse,
  SessionMatches,
  Snippet,
} from "./request.ts";
export { search } from "./search.ts";
