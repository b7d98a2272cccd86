import { join } from "node:path";
import type { Context } from "./context.ts";

/** What this machine saw, for one store: another store has to be told everything. */
export function stateOf({ settings }: Pick<Context, "settings">, storeId: string): string {
  return join(settings.directories.state, storeId);
}
