import { ValidationError } from "@pond/canonical";
import { DamagedRowError, MessageNotFoundError } from "@pond/sessions";
import { checkRow } from "@pond/sessions/rows";
import type { Row } from "@pond/substrate";

/** True for what is thrown where stored rows are not what was written. */
export function isDamage(error: unknown): boolean {
  return [DamagedRowError, MessageNotFoundError, ValidationError].some(
    (each) => error instanceof each,
  );
}

/** True for a row that an import takes. */
export function isWhole(table: string, row: Row): boolean {
  try {
    checkRow(table, row);
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}
