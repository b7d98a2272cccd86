import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { SourceFault } from "@pond/canonical";

/**
 * The bytes of a log that omp compressed. Unpacked as they are asked for: hardly more than one
 * chunk is ever held.
 *
 * @param maxBytes - A limit, because a few bytes may stand for more than anybody could store.
 * @throws {SourceFault} if they are broken, cut off, or too many.
 */
export async function* unpack(
  file: string,
  adapter: string,
  maxBytes: number = defaultMaxBytes,
): AsyncGenerator<Uint8Array> {
  const at = { adapter, uri: file, record: "file" };
  // At a break, what was unpacked with it is lost; with small chunks, that is little.
  const gunzip = createGunzip({ chunkSize: 16 * 1024 });
  // Any error comes out of the last of them.
  pipeline(createReadStream(file), gunzip, () => {});
  let bytes = 0;
  try {
    for await (const chunk of gunzip) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new SourceFault(at, `more than ${maxBytes} bytes when unpacked`);
      yield chunk;
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new SourceFault(at, `cannot be unpacked (${code})`, { cause: error });
  }
}

/** The first bytes of a log, from the available bytes of it; undefined if they are broken. */
export function unpackedStart(bytes: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** zlib's code for bytes that it did not compress; undefined for any other error. */
function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("Z_") ? code : undefined;
}

/** Sixteen times the longest line that is kept. */
const defaultMaxBytes = 4 * 1024 * 1024 * 1024;
