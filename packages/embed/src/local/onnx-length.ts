import type { FileHandle } from "node:fs/promises";

/** The longest tag and length of a field. */
const longestHeader = 20;
/** A model has a handful of fields; a file that is none may look as if it had many. */
const mostFields = 1000;

/**
 * How long an ONNX file has to be, read from the lengths of its outermost fields. It costs a few
 * reads however large the file is, and tells a download that was cut from one that was not.
 *
 * @returns Bytes, at most one field past the end of the file; undefined where this is no such file.
 */
export async function onnxLength(file: FileHandle, bytes: number): Promise<number | undefined> {
  let at = 0;
  for (let field = 0; at < bytes; field++) {
    if (field === mostFields) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHeader), 0, undefined, at);
    const tag = varint(buffer.subarray(0, bytesRead), 0);
    if (tag === undefined || tag.value < 8) return undefined;
    const value = varint(buffer.subarray(0, bytesRead), tag.end);
    switch (tag.value & 7) {
      case 0:
        if (value === undefined) return undefined;
        at += value.end;
        break;
      case 2:
        if (value === undefined) return undefined;
        at += value.end + value.value;
        break;
      default: // No other kind of field is in an ONNX model.
        return undefined;
    }
  }
  return at;
}

/** A number of the format's own kind. */
export function varint(buffer: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let at = start, scale = 1; at < buffer.length && at - start < 10; at++, scale *= 128) {
    const byte = buffer[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at + 1 };
  }
  return undefined;
}
