import { join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import {
  type FolderEntry,
  folderEntries,
  isDecodedName,
  leadsOutside,
  notUtf8Reason,
} from "@pond/canonical/adapter";
import { fault } from "./faults.ts";
import { fileName, type Tree } from "./layout.ts";
import { origin } from "./origin.ts";
import type { ThreadFile, Threads } from "./threads.ts";

/** Adds every thread below the folders to `threads`; faults for what cannot be looked at. */
export function* discover(trees: readonly Tree[], threads: Threads): Generator<FaultEvent> {
  for (const tree of trees) {
    for (const found of filesBelow(tree)) {
      if ("kind" in found) yield found;
      else threads.add(found);
    }
  }
}

function* filesBelow(tree: Tree): Generator<ThreadFile | FaultEvent> {
  const open: Tree[] = [tree];
  for (let next = open.pop(); next; next = open.pop()) {
    const { folder, path, only } = next;
    const folders: Tree[] = [];
    for (const entry of yield* folderEntries(origin, folder)) {
      if (only !== undefined && entry.name !== only) continue;
      const place = { file: join(folder, entry.name), path: `${path}/${entry.name}` };
      if (!isDecodedName(entry.name, place.file)) yield fault(place.file, notUtf8Reason);
      else if (entry.isDirectory()) folders.push({ folder: place.file, path: place.path });
      else if (entry.isSymbolicLink() && leadsOutside(place.file, tree.folder))
        yield linkFault(place.file);
      else yield* sessionFile(entry, place.file, path, only !== undefined);
    }
    open.push(...folders.reverse());
  }
}

/** @param isNamed - True if the user named it: any name is then accepted. */
function* sessionFile(
  entry: FolderEntry,
  file: string,
  folder: string,
  isNamed: boolean,
): Generator<ThreadFile | FaultEvent> {
  const name = fileName(entry.name) ?? (isNamed ? fileName(`${entry.name}.jsonl`) : undefined);
  if (name === undefined) return;
  // A link could lead anywhere, and opening a pipe would wait for a writer that never comes.
  if (entry.isFile()) yield { file, path: `${folder}/${name.plain}`, name };
  else if (entry.isSymbolicLink()) yield linkFault(file);
  else yield fault(file, "not a file");
}

function linkFault(path: string): FaultEvent {
  return fault(path, "a symbolic link, not followed");
}
