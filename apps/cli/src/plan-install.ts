import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Adapter, RestoredFile } from "@pond/canonical/adapter";
import type { Restored } from "@pond/sessions";
import { formatCounted } from "./output/numbers.ts";
import { type SafeText, safe, safeText } from "./output/safe-text.ts";

/** Restored files, by what becomes of them in a client's home. */
export type InstallPlan<File extends RestoredFile> = {
  readonly toWrite: readonly File[];
  /** There already, and not of the sessions that may be replaced. */
  readonly leftAsIs: readonly File[];
};

/**
 * Sorts restored files. A session is restored with its forks and sub-agents, which the client may
 * still have and may have continued: what is there of those stays, unless they were named
 * themselves. A file that sessions share gets lines only of sessions of which another file is
 * written.
 *
 * @param named - Ids of the sessions whose files must not be there, or are to be replaced.
 * @param isForced - Whether they are replaced; otherwise an existing file is exactly the same.
 */
export function planInstall<File extends RestoredFile>(
  files: readonly File[],
  home: string,
  named: ReadonlySet<string>,
  isForced: boolean,
): InstallPlan<File> {
  const exists = ({ path }: File): boolean => existsSync(join(home, path));
  const isLeftAsIs = (file: File): boolean =>
    !file.shared && !named.has(file.session) && exists(file);
  return {
    toWrite: withoutOrphanLines(
      files.filter((file) => !isLeftAsIs(file)),
      (file) => isForced || !exists(file),
    ),
    leftAsIs: files.filter(isLeftAsIs),
  };
}

/** Drops the lines for a shared file of sessions of which nothing else is written. */
export function withoutOrphanLines<File extends RestoredFile>(
  files: readonly File[],
  isWritten: (file: File) => boolean = () => true,
): readonly File[] {
  const own = files.filter((file) => !file.shared && isWritten(file));
  const written = new Set(own.map(({ session }) => session));
  return files.filter(({ session, shared }) => !shared || written.has(session));
}

/**
 * What goes into a client's home: each file where the client has moved it, because a file that it
 * has twice is back from there. Lines for a shared file are left out if something else is in its
 * place, such as a link: nothing is written through one, and no session has to wait for that.
 */
export function toHomePaths(restored: Restored, { movedTo }: Adapter, home: string): Restored {
  const files = restored.files.flatMap((file) => {
    const place = join(home, file.path);
    if (file.shared) return isOtherThanFile(place) ? [] : [file];
    const moved = existsSync(place) ? undefined : movedTo?.(home, file.path);
    return [moved === undefined ? file : { ...file, path: moved }];
  });
  return { ...restored, files };
}

function isOtherThanFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

/** The sentence for a number of such files. */
export function leftAsIsText(count: number): SafeText {
  const files = formatCounted(count, "file of another session was", "files of other sessions were");
  return safe`${files} there already and ${safeText(count === 1 ? "stays" : "stay")}.`;
}
