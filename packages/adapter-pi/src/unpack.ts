import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { SourceFault } from "@pond/canonical";

/**
 * The bytes of a log that omp compressed. Unpacked as they are asked for: hardly more than one chunk
 * is ever held.
 *
 * @param maxBytes - A few bytes may stand for more than anybody could store.
 * @throws {SourceFault} where they are broken or cut off, or too many.
 */
export async function* unpack(
  file: string,
  adapter: string,
  maxBytes: number = defaultMaxBytes,
): AsyncGenerator<Uint8Array> {
  const at = { adapter, uri: file, record: "file" };
  // Of a break, what was unpacked with it is gone: of little, little.
  const gunzip = createGunzip({ chunkSize: 16 * 1024 });
  // Whatever goes wrong comes out of the last of them.
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

/** The first bytes of a log by those that are there of it; undefined where they are broken. */
export function unpackedStart(bytes: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** What zlib says of bytes that it did not compress; undefined of any other error. */
function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("Z_") ? code : undefined;
}

/** Sixteen of the longest lines that are kept. */
const defaultMaxBytes = 4 * 1024 * 1024 * 1024;
