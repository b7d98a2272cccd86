import { FilterError } from "./errors.ts";
import type { SearchRequest } from "./request.ts";

const defaultLimit = 10;
const maxLimit = 100;

/** Which of the ranked sessions an answer holds. */
export type Page = { readonly start: number; readonly end: number };

/** @throws {FilterError} for a limit, a page or a score that is none. */
export function toPage({ limit = defaultLimit, after = "0", min_score = 0 }: SearchRequest): Page {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new FilterError("limit", `${limit} is not a number from 1 to ${maxLimit}`);
  }
  if (!Number.isFinite(min_score) || min_score < 0) {
    throw new FilterError("min_score", `${min_score} is no score; it is 0 or more`);
  }
  if (!/^\d{1,6}$/.test(after)) {
    throw new FilterError("after", "it is not the `next` of an answer");
  }
  return { start: Number(after), end: Number(after) + limit };
}
