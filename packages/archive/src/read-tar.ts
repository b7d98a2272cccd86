import { type FileHandle, open, stat } from "node:fs/promises";
import {
  ArchiveDamagedError,
  ArchiveHostileError,
  ArchiveNotFoundError,
  type ArchivePlace,
} from "./errors.ts";
import { manifestPath } from "./manifest.ts";
import {
  blockBytes,
  decodeHeader,
  encodeHeader,
  endBytes,
  type Header,
  paddingOf,
  type TarFile,
} from "./tar-header.ts";

/** A file of an archive, and the offset of its bytes. */
export type Member = TarFile & { readonly offset: number };

// A store of a hundred million messages has some hundred files.
const maxMembers = 10_000;

const kinds: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "5": "a folder",
  "6": "a pipe",
  S: "a sparse file",
  g: "an extended header",
  x: "an extended header",
  L: "a long name",
  K: "a long link",
};

/** Opens an archive. @throws {ArchiveNotFoundError} @throws {ArchiveDamagedError} */
export async function openArchiveFile(file: string): Promise<FileHandle> {
  try {
    // Checked first: opening a pipe would wait for its writer.
    if (!(await stat(file)).isFile()) throw new ArchiveDamagedError({ file }, "it is no file");
    return await open(file, "r");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new ArchiveNotFoundError({ file }, "there is no such file", { cause: error });
  }
}

/**
 * The members of an archive, from their headers alone. Every header has to be, byte by byte, the
 * one that an export writes for this path and size, so that nothing in it can mean anything else to
 * anybody.
 *
 * @throws {ArchiveDamagedError} if it is cut off, changed or not an archive.
 * @throws {ArchiveHostileError} if it holds anything but plain files at plain paths.
 */
export async function readMembers(handle: FileHandle, file: string): Promise<Member[]> {
  const { size: fileBytes } = await handle.stat();
  const block = Buffer.alloc(blockBytes);
  const members: Member[] = [];
  const paths = new Set<string>();
  for (let offset = 0; ; ) {
    const place: ArchivePlace = { file, offset };
    const { bytesRead } = await handle.read(block, 0, blockBytes, offset);
    if (bytesRead < blockBytes) {
      const isOther = offset === 0 && !beginsHeader(block.subarray(0, bytesRead));
      throw isOther ? noArchive(place) : new ArchiveDamagedError(place, "it is cut off");
    }
    if (isEmpty(block)) {
      await checkEnd(handle, place, fileBytes - offset);
      return members;
    }
    if (members.length === maxMembers) {
      throw new ArchiveHostileError(place, `it has more than ${maxMembers} files`);
    }
    const member = { ...readHeader(block, place), offset: offset + blockBytes };
    const inside = { ...place, member: member.path };
    if (paths.has(member.path)) throw new ArchiveHostileError(inside, "it is in it twice");
    paths.add(member.path);
    offset = member.offset + member.size + paddingOf(member.size);
    if (offset + endBytes > fileBytes) {
      const left = Math.max(0, fileBytes - member.offset);
      throw new ArchiveDamagedError(inside, `cut off: ${left} bytes follow, not ${member.size}`);
    }
    members.push(member);
  }
}

function noArchive(place: ArchivePlace): ArchiveDamagedError {
  return new ArchiveDamagedError(place, "it is not a .pond archive", { problem: "no_archive" });
}

/** True for an archive cut off so early that only its beginning can be compared. */
function beginsHeader(bytes: Buffer): boolean {
  const first = Buffer.from(`${manifestPath}\0`).subarray(0, bytes.length);
  return bytes.subarray(0, first.length).equals(first);
}

function readHeader(block: Buffer, place: ArchivePlace): TarFile {
  const header = decodeHeader(block);
  if (header === undefined) {
    if (place.offset === 0) throw noArchive(place);
    throw new ArchiveDamagedError(place, "a header is damaged");
  }
  const inside = { ...place, member: header.path };
  if (header.kind !== "0") {
    const kind = kinds[header.kind] ?? "of an unknown type";
    throw new ArchiveHostileError(inside, `it is ${kind}; archives hold only files`);
  }
  const { path, size } = header;
  if (!isPlainPath(path)) {
    throw new ArchiveHostileError(inside, "its path leads elsewhere, or is not one of an archive");
  }
  if (size === undefined || !encodeHeader({ path, size }).equals(block)) {
    throw new ArchiveHostileError(inside, `its header says more than a path and a size`);
  }
  return { path, size };
}

/**
 * True for a relative path of a few plain names: no `..`, no drive, nothing that a shell
 * interprets.
 */
function isPlainPath(path: Header["path"]): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*){0,3}$/.test(path);
}

/** Checks that two empty blocks follow, and nothing else. */
async function checkEnd(handle: FileHandle, place: ArchivePlace, bytes: number): Promise<void> {
  if (bytes < endBytes) throw new ArchiveDamagedError(place, "it is cut off");
  if (bytes > endBytes) {
    throw new ArchiveDamagedError(place, `${bytes - endBytes} bytes follow its end`);
  }
  const end = Buffer.alloc(endBytes);
  await handle.read(end, 0, endBytes, place.offset ?? 0);
  if (!isEmpty(end)) throw new ArchiveDamagedError(place, "its end is damaged");
}

function isEmpty(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}
