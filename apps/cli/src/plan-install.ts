import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Adapter, RestoredFile } from "@pond/canonical/adapter";
import type { Restored } from "@pond/sessions";
import { formatCounted } from "./output/numbers.ts";
import { type Shown, say, shown } from "./output/shown.ts";

/** Restored files, by what becomes of them in a client's home. */
export type InstallPlan<File extends RestoredFile> = {
  readonly toWrite: readonly File[];
  /** There already, and of other sessions than those that may be replaced. */
  readonly leftAsIs: readonly File[];
};

/**
 * A session is restored with its forks and sub-agents, which the client may still have and may have
 * gone on in: what is there of them stays, unless they were named themselves.
 *
 * @param named - Ids of the sessions whose files may not be there, or are to be replaced.
 */
export function planInstall<File extends RestoredFile>(
  files: readonly File[],
  home: string,
  named: ReadonlySet<string>,
): InstallPlan<File> {
  const { toWrite = [], leftAsIs = [] } = Object.groupBy(files, ({ session, path }) =>
    !named.has(session) && existsSync(join(home, path)) ? "leftAsIs" : "toWrite",
  );
  return { toWrite, leftAsIs };
}

/**
 * Without what a session goes on from where the client has it at another place: it archives some,
 * and one that it has twice would be back from the archive.
 *
 * @param named - Ids of the sessions that are wanted, wherever they are.
 */
export async function withoutMoved(
  restored: Restored,
  { from }: Adapter,
  home: string,
  named: ReadonlySet<string>,
): Promise<Restored> {
  const needed = new Set<string>([...restored.bases.values()].flat());
  const missing = restored.files.filter(
    ({ session, path }) =>
      needed.has(session) && !named.has(session) && !existsSync(join(home, path)),
  );
  if (missing.length === 0 || !existsSync(home)) return restored;
  const names = new Set<string>();
  for await (const found of from(home).sessions()) {
    if (found.kind === "source") names.add(basename(found.key));
  }
  const moved = new Set(
    missing.flatMap(({ session, path }) => (names.has(basename(path)) ? session : [])),
  );
  return { ...restored, files: restored.files.filter(({ session }) => !moved.has(session)) };
}

/** Says so of a number of files. */
export function leftAsIsText(count: number): Shown {
  const files = formatCounted(count, "file of another session was", "files of other sessions were");
  return say`${files} there already and ${shown(count === 1 ? "stays" : "stay")}.`;
}
