/** A file inside an archive. */
export type TarFile = { readonly path: string; readonly size: number };

/** The size of a block in bytes. Headers, contents and the end come in whole blocks. */
export const blockBytes = 512;

/** Two empty blocks end a tar. */
export const endBytes: number = 2 * blockBytes;

// Fields of a ustar header, by offset and length (POSIX.1-1988).
const path = [0, 100] as const;
const mode = [100, 8] as const;
const owner = [108, 8] as const;
const group = [116, 8] as const;
const size = [124, 12] as const;
const changed = [136, 12] as const;
const checksum = [148, 8] as const;
const kind = 156;
const magic = [257, 8] as const;
const major = [329, 8] as const;
const minor = [337, 8] as const;

type Field = readonly [offset: number, length: number];

const magicText = "ustar\u000000";
const largestOctal = 8n ** 11n - 1n;

/**
 * The header of a plain file: owned by nobody and dated 1970, so that equal files have equal
 * headers.
 */
export function encodeHeader(file: TarFile): Buffer {
  if (!isPathOfHeader(file.path)) throw new TypeError(`${file.path} fits no tar header`);
  const header = Buffer.alloc(blockBytes);
  header.write(file.path, path[0], "latin1");
  writeOctal(header, mode, 0o644);
  writeOctal(header, owner, 0);
  writeOctal(header, group, 0);
  writeSize(header, BigInt(file.size));
  writeOctal(header, changed, 0);
  header.write("0", kind, "latin1");
  header.write(magicText, magic[0], "latin1");
  writeOctal(header, major, 0);
  writeOctal(header, minor, 0);
  header.write(`${octal(checksumOf(header), 6)}\0 `, checksum[0], "latin1");
  return header;
}

/** The empty bytes after a file, up to the next block. */
export function paddingOf(fileBytes: number): number {
  return (blockBytes - (fileBytes % blockBytes)) % blockBytes;
}

/** The content of a header, whether or not pond would write such a one. */
export type Header = {
  readonly path: string;
  /** Undefined where it is not a whole number that JavaScript can hold. */
  readonly size: number | undefined;
  /** `0` for a file. */
  readonly kind: string;
};

/** Undefined if the block is not a tar header, or its checksum is wrong. */
export function decodeHeader(header: Buffer): Header | undefined {
  if (!textOf(header, magic).startsWith("ustar")) return undefined;
  const stored = Number.parseInt(textOf(header, checksum).trim(), 8);
  if (stored !== checksumOf(header)) return undefined;
  const letter = header.toString("latin1", kind, kind + 1);
  return {
    path: textOf(header, path),
    size: readSize(header),
    kind: letter === "\0" ? "0" : letter,
  };
}

function isPathOfHeader(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text) && text.length <= path[1];
}

function writeOctal(header: Buffer, [offset, length]: Field, value: number): void {
  header.write(`${octal(value, length - 1)}\0`, offset, "latin1");
}

function octal(value: number | bigint, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** Writes it in octal; from 8 GiB on in binary with the first bit set, as GNU tar does. */
function writeSize(header: Buffer, value: bigint): void {
  const [offset, length] = size;
  if (value <= largestOctal) {
    header.write(`${octal(value, length - 1)}\0`, offset, "latin1");
    return;
  }
  header.writeUInt8(0x80, offset);
  header.writeBigUInt64BE(value, offset + length - 8);
}

function readSize(header: Buffer): number | undefined {
  const [offset, length] = size;
  if (header.readUInt8(offset) === 0x80) {
    const value = Number(header.readBigUInt64BE(offset + length - 8));
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const text = textOf(header, size).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

function textOf(header: Buffer, [offset, length]: Field): string {
  const [text = ""] = header.toString("latin1", offset, offset + length).split("\0");
  return text;
}

/** The sum of all bytes, where those of the checksum itself count as spaces. */
function checksumOf(header: Buffer): number {
  const [offset, length] = checksum;
  let sum = length * 0x20;
  for (const [at, byte] of header.entries()) {
    if (at < offset || at >= offset + length) sum += byte;
  }
  return sum;
}
