import { join } from "node:path";
import { replaceFile } from "./replace-file.ts";
import { isTime, readStateFile } from "./state-directory.ts";

/** When this machine last read each client into a store, as RFC 3339, by the client's name. */
export type LastSync = Readonly<Record<string, string>>;

/** Records that these clients were read; what is known about the others stays. */
export async function rememberSync(
  stateDirectory: string,
  clients: readonly string[],
  now: Date,
): Promise<void> {
  if (clients.length === 0) return;
  const known = await lastSync(stateDirectory);
  const read = Object.fromEntries(clients.map((name) => [name, now.toISOString()]));
  await replaceFile(fileOf(stateDirectory), `${JSON.stringify({ ...known, ...read })}\n`);
}

/** Empty if nothing was read yet. */
export async function lastSync(stateDirectory: string): Promise<LastSync> {
  const saved = await readStateFile(fileOf(stateDirectory));
  const entries = Object.entries(Object(saved) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => isTime(entry[1])));
}

function fileOf(stateDirectory: string): string {
  return join(stateDirectory, "last-sync.json");
}
