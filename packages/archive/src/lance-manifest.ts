// The footer of a Lance manifest: where its message begins, its version, and "LANC".
const footerBytes = 16;
const magic = "LANC";
// Field `base_paths` of the message: folders and addresses outside of the dataset where its data
// may be.
const basePaths = 18;

/**
 * Whether a Lance manifest names places outside of its dataset, which the engine would read.
 * Undefined if it cannot be read as a manifest.
 */
export function namesOtherPlaces(manifest: Buffer): boolean | undefined {
  const footer = manifest.length - footerBytes;
  if (footer < 4 || manifest.toString("latin1", manifest.length - 4) !== magic) return undefined;
  const begin = Number(manifest.readBigUInt64LE(footer));
  if (begin > footer - 4) return undefined;
  const end = begin + 4 + manifest.readUInt32LE(begin);
  if (end > footer) return undefined;
  for (let at = begin + 4; at < end; ) {
    const tag = readVarint(manifest, at, end);
    if (tag === undefined) return undefined;
    if (tag.value >> 3 === basePaths) return true;
    const next = skip(manifest, tag.value & 7, tag.next, end);
    if (next === undefined) return undefined;
    at = next;
  }
  return false;
}

type Varint = { readonly value: number; readonly next: number };

/**
 * Reads a number of at most five bytes. The value of a longer one, which no length is, is
 * meaningless.
 */
function readVarint(bytes: Buffer, from: number, end: number): Varint | undefined {
  let value = 0;
  for (let at = from; at < end && at < from + 10; at++) {
    const byte = bytes.readUInt8(at);
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, next: at + 1 };
  }
  return undefined;
}

/** Where the field after this one begins, by the wire types of Protocol Buffers. */
function skip(bytes: Buffer, wireType: number, at: number, end: number): number | undefined {
  const number = wireType === 0 || wireType === 2 ? readVarint(bytes, at, end) : undefined;
  const next = {
    0: number?.next,
    1: at + 8,
    2: number && number.next + number.value,
    5: at + 4,
  }[wireType];
  return next !== undefined && next <= end ? next : undefined;
}
