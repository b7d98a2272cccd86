import type { SystemMessage } from "../message.ts";
import { carriedRecord } from "../seam/source-options.ts";

/**
 * What a system message says to a model: its text, or, of a record that is carried, what pi and omp
 * tell of a branch that was left. Empty for all other records.
 */
export function givenText(message: SystemMessage): string {
  const { type, summary } = carriedRecord(message) ?? {};
  return type === "branch_summary" && typeof summary === "string" ? summary : message.content;
}
