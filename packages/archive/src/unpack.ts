import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ArchiveDamagedError, ArchiveHostileError, UnpackFailedError } from "./errors.ts";
import { namesOtherPlaces } from "./lance-manifest.ts";
import { type Manifest, manifestPath, readManifest } from "./manifest.ts";
import type { ProgressOptions } from "./progress.ts";
import { type Member, readMembers } from "./read-tar.ts";
import { paddingOf } from "./tar-header.ts";
import { chunksOf } from "./write-tar.ts";

// For the archive, and for each dataset: a hundred million messages need less.
const maxManifestBytes = 4 * 1024 * 1024;
const datasetPath =
  /^(sessions|messages|parts|windows)\.lance\/(_versions|_transactions|data)\/[^/]+$/;

/** The content of an archive; each file matches the manifest, but none has been read. */
export type Contents = { readonly manifest: Manifest; readonly members: readonly Member[] };

/**
 * Reads what an archive says about itself: its headers and its manifest, and nothing else.
 *
 * @throws {ArchiveError} if the two do not agree.
 */
export async function readContents(handle: FileHandle, file: string): Promise<Contents> {
  const [first, ...members] = await readMembers(handle, file);
  if (first?.path !== manifestPath) {
    throw new ArchiveDamagedError({ file, offset: 0 }, `it does not begin with ${manifestPath}`);
  }
  const { offset } = first;
  if (first.size > maxManifestBytes) {
    const reason = `it has ${first.size} bytes, and no store needs more than ${maxManifestBytes}`;
    throw new ArchiveHostileError({ file, member: manifestPath, offset }, reason);
  }
  const bytes = Buffer.alloc(first.size);
  await handle.read(bytes, 0, bytes.length, offset);
  await checkPadding(handle, file, first);
  const manifest = readManifest(bytes, { file, offset });
  for (const [at, member] of members.entries()) {
    const place = { file, member: member.path, offset: member.offset };
    const listed = manifest.files[at];
    if (!datasetPath.test(member.path)) {
      throw new ArchiveHostileError(place, "it belongs to none of the tables");
    }
    if (listed?.path !== member.path) {
      throw new ArchiveHostileError(place, "the manifest does not list it here");
    }
    if (listed.size !== member.size) {
      const reason = `it has ${member.size} bytes, and the manifest says ${listed.size}`;
      throw new ArchiveDamagedError(place, reason);
    }
  }
  const missing = manifest.files[members.length];
  if (missing) throw new ArchiveDamagedError({ file, member: missing.path }, "it is missing");
  return { manifest, members };
}

/**
 * Unpacks the datasets below a folder, no byte more than their headers say, and verifies their
 * checksums.
 *
 * @throws {ArchiveDamagedError} for the first file that is not what was exported.
 * @throws {UnpackFailedError} if the folder takes no more.
 */
export async function unpack(
  handle: FileHandle,
  file: string,
  { manifest, members }: Contents,
  folder: string,
  { onProgress, signal }: ProgressOptions,
): Promise<void> {
  const total = members.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const [at, member] of members.entries()) {
    const target = join(folder, member.path);
    await using copy = await written(folder, makeFile(target));
    const hash = createHash("sha256");
    for await (const chunk of chunksOf(handle, member.offset, member.size)) {
      signal?.throwIfAborted();
      hash.update(chunk);
      await written(folder, copy.writeFile(chunk));
      done += chunk.length;
      onProgress?.({ step: "unpack", done, total });
    }
    const place = { file, member: member.path, offset: member.offset };
    if (hash.digest("hex") !== manifest.files[at]?.sha256) {
      throw new ArchiveDamagedError(place, "its checksum is wrong");
    }
    await checkPadding(handle, file, member);
    if (member.path.endsWith(".manifest")) await checkLanceManifest(handle, file, member);
  }
}

async function makeFile(target: string): Promise<FileHandle> {
  await mkdir(dirname(target), { recursive: true });
  return open(target, "wx");
}

/** The system's error for a full disk names no file. */
function written<T>(folder: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw UnpackFailedError.from(dirname(folder), error);
  });
}

/** A dataset may name places outside of it, which the engine would read. */
async function checkLanceManifest(handle: FileHandle, file: string, member: Member): Promise<void> {
  const place = { file, member: member.path, offset: member.offset };
  if (member.size > maxManifestBytes) {
    throw new ArchiveHostileError(place, `a manifest of ${member.size} bytes`);
  }
  const manifest = Buffer.alloc(member.size);
  await handle.read(manifest, 0, manifest.length, member.offset);
  const isElsewhere = namesOtherPlaces(manifest);
  if (isElsewhere) throw new ArchiveHostileError(place, "it names data outside of the archive");
  if (isElsewhere === undefined)
    throw new ArchiveDamagedError(place, "it is not a manifest of Lance");
}

/** Nothing may hide between two files. */
async function checkPadding(handle: FileHandle, file: string, member: Member): Promise<void> {
  const offset = member.offset + member.size;
  const padding = Buffer.alloc(paddingOf(member.size));
  await handle.read(padding, 0, padding.length, offset);
  if (padding.some((byte) => byte !== 0)) {
    throw new ArchiveDamagedError({ file, member: member.path, offset }, "bytes follow its end");
  }
}
