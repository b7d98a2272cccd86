import { checkRow, isDamage } from "@pond/sessions/rows";
import type { Row } from "@pond/substrate";

/** True for a row that an import accepts. */
export function isWhole(table: string, row: Row): boolean {
  try {
    checkRow(table, row);
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}
