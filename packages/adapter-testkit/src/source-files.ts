import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";

/** Files by path: relative, `/`-separated. */
export type SourceFiles = ReadonlyMap<string, Uint8Array>;

/** Every file below a folder. */
export async function readFolder(folder: string): Promise<SourceFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(pathOf)
    .sort();
  const files = paths.map(
    async (path) => [relative(folder, path).split(sep).join("/"), await readFile(path)] as const,
  );
  return new Map(await Promise.all(files));
}

/**
 * The files below each folder of a folder, in the order of their names; none if it does not exist.
 */
export async function readFolders(folder: string): Promise<readonly SourceFiles[]> {
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : [];
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const inOrder = names.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  return Promise.all(inOrder.map((name) => readFolder(join(folder, name))));
}

/** Runs with the files in a folder of their own, which is deleted afterwards. */
export async function withFolder<T>(
  files: SourceFiles,
  run: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "pond-testkit-"));
  try {
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), bytes);
    }
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A writer's result as files. @throws {Error} if two have one path that they do not share. */
export function restoredFiles(restored: Iterable<RestoredFile>): SourceFiles {
  const files = new Map<string, Uint8Array>();
  for (const { path, content, shared } of restored) {
    const before = files.get(path);
    if (before && !shared) throw new Error(`two restored files are ${path}`);
    const pieces = Array.from(content, (piece) => Buffer.from(piece));
    files.set(path, Buffer.concat([...(before ? [before] : []), ...pieces]));
  }
  return files;
}

function pathOf({
  parentPath,
  name,
}: {
  readonly parentPath: string;
  readonly name: string;
}): string {
  return join(parentPath, name);
}
