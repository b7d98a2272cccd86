import { existsSync } from "node:fs";
import { join } from "node:path";
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
 * gone on in: what is there of them stays, unless they were named themselves. So does all that is in
 * a file that sessions share.
 *
 * @param named - Ids of the sessions whose files may not be there, or are to be replaced.
 */
export function planInstall<File extends RestoredFile>(
  files: readonly File[],
  home: string,
  named: ReadonlySet<string>,
): InstallPlan<File> {
  const { toWrite = [], leftAsIs = [] } = Object.groupBy(files, ({ session, path, isShared }) =>
    !isShared && !named.has(session) && existsSync(join(home, path)) ? "leftAsIs" : "toWrite",
  );
  return { toWrite, leftAsIs };
}

/** With the files at the places the client has moved them to: one that it has twice is back from there. */
export function withMoved(restored: Restored, { movedTo }: Adapter, home: string): Restored {
  if (movedTo === undefined) return restored;
  const files = restored.files.map((file) => {
    const moved = existsSync(join(home, file.path)) ? undefined : movedTo(home, file.path);
    return moved === undefined ? file : { ...file, path: moved };
  });
  return { ...restored, files };
}

/** Says so of a number of files. */
export function leftAsIsText(count: number): Shown {
  const files = formatCounted(count, "file of another session was", "files of other sessions were");
  return say`${files} there already and ${shown(count === 1 ? "stays" : "stay")}.`;
}
