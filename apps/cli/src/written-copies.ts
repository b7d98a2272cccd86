import { createHash } from "node:crypto";
import { join } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";
import type { LineageFile } from "@pond/sessions";
import { replaceFile } from "./replace-file.ts";
import type { Settings } from "./settings.ts";
import { readStateFile, stateFile } from "./state-directory.ts";

/** Digests of files in clients' homes, as they were last written there, by file. */
export type WrittenCopies = ReadonlyMap<string, string>;

// For older ones it is not known whether somebody continued them. A whole home fits.
const maxCopies = 10_000;

export async function writtenCopies(settings: Settings): Promise<WrittenCopies> {
  const entries = await readStateFile(fileOf(settings));
  return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
}

/** What these files, written below `folder`, are remembered by. */
export function copiesOf(files: readonly LineageFile[], folder: string): WrittenCopies {
  // A shared file is not a copy of anything.
  const own = files.filter(({ shared }) => !shared);
  return new Map(own.map(({ path, content }) => [join(folder, path), digestOf(content)]));
}

export async function rememberCopies(settings: Settings, written: WrittenCopies): Promise<void> {
  if (written.size === 0) return;
  const copies = new Map(await writtenCopies(settings));
  for (const [file, digest] of written) {
    copies.delete(file);
    copies.set(file, digest);
  }
  await replaceFile(fileOf(settings), JSON.stringify([...copies].slice(-maxCopies)));
}

export function digestOf(content: RestoredFile["content"]): string {
  const digest = createHash("sha256");
  for (const piece of content) digest.update(piece);
  return digest.digest("hex");
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function fileOf(settings: Settings): string {
  return stateFile(settings, "written-copies");
}
