import { readFile } from "node:fs/promises";

/** A file that holds columns of a fragment, as a manifest lists it. */
export type DataFile = {
  /** Below the table's `data`. */
  readonly path: string;
  /** Undefined where the manifest does not say. */
  readonly bytes?: number;
};

// Fields of the messages `Manifest`, `DataFragment` and `DataFile` of the Lance format.
const fragmentsField = 2;
const fragmentId = 1;
const fragmentFiles = 2;
const filePath = 1;
const fileBytes = 6;

// The footer: where the message begins, the format's version, "LANC".
const footerBytes = 16;

/**
 * The data files of each fragment, from a manifest of a local table. The engine tells them to nobody.
 *
 * @throws {RangeError} where it is no manifest.
 */
export async function dataFilesOf(manifest: string): Promise<ReadonlyMap<number, DataFile[]>> {
  const bytes = await readFile(manifest);
  const begin = Number(bytes.readBigUInt64LE(bytes.length - footerBytes));
  const message = bytes.subarray(begin + 4, begin + 4 + bytes.readUInt32LE(begin));
  const files = new Map<number, DataFile[]>();
  for (const { field, bytes: fragment } of fieldsOf(message)) {
    if (field !== fragmentsField || fragment === undefined) continue;
    let id = 0;
    const own: DataFile[] = [];
    for (const { field, number, bytes } of fieldsOf(fragment)) {
      if (field === fragmentId && number !== undefined) id = number;
      if (field === fragmentFiles && bytes !== undefined) own.push(toDataFile(bytes));
    }
    files.set(id, own);
  }
  return files;
}

function toDataFile(message: Buffer): DataFile {
  const fields = [...fieldsOf(message)];
  const path = fields.find(({ field }) => field === filePath)?.bytes?.toString() ?? "";
  const size = fields.find(({ field }) => field === fileBytes)?.number;
  return { path, ...(size !== undefined && { bytes: size }) };
}

type Field = { readonly field: number; readonly number?: number; readonly bytes?: Buffer };

/** The fields of a Protocol Buffers message. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const field = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (wireType === 0) yield { field, number: varint() };
    else if (wireType === 2) {
      const length = varint();
      if (at + length > message.length) throw new RangeError("a field is longer than its message");
      yield { field, bytes: message.subarray(at, at + length) };
      at += length;
    } else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else throw new RangeError(`wire type ${wireType} is none`);
  }
}
