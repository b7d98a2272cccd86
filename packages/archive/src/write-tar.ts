import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { encodeHeader, endBytes, paddingOf, type TarFile } from "./tar-header.ts";

/** A file to put into an archive, and its source. */
export type TarSource = TarFile & { readonly from: string | Buffer };

const chunkBytes = 1024 * 1024;

/**
 * Writes a tar at a path where nothing is yet, for its owner alone, and makes it durable.
 *
 * @param onBytes - Called with the number of bytes of contents that were written.
 */
export async function writeTar(
  path: string,
  files: readonly TarSource[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  await using target = await open(path, "wx", 0o600);
  for (const { from, ...file } of files) {
    await target.writeFile(encodeHeader(file));
    if (typeof from === "string") await copyFile(from, file, target, onBytes);
    else await target.writeFile(from);
    await target.writeFile(Buffer.alloc(paddingOf(file.size)));
  }
  await target.writeFile(Buffer.alloc(endBytes));
  await target.sync();
}

/** SHA-256 of a file, hexadecimal. */
export async function hashFile(path: string, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash("sha256");
  await using file = await open(path, "r");
  for await (const chunk of chunksOf(file, 0, (await file.stat()).size)) {
    hash.update(chunk);
    onBytes(chunk.length);
  }
  return hash.digest("hex");
}

/**
 * Reads so many bytes of a file, a piece at a time; fewer if it ends earlier. A piece is valid
 * until the next is asked for.
 */
export async function* chunksOf(
  file: FileHandle,
  offset: number,
  size: number,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size));
  for (let done = 0; done < size; ) {
    const length = Math.min(buffer.length, size - done);
    const { bytesRead } = await file.read(buffer, 0, length, offset + done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function copyFile(
  from: string,
  { path, size }: TarFile,
  target: FileHandle,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await using source = await open(from, "r");
  let copied = 0;
  for await (const chunk of chunksOf(source, 0, size)) {
    await target.writeFile(chunk);
    copied += chunk.length;
    onBytes(chunk.length);
  }
  if (copied !== size) throw new Error(`${path} became shorter while it was read`);
}
