import type { FileHandle } from "node:fs/promises";

/** The most bytes that a field's tag and length take. */
const maxHeaderBytes = 20;
/** A model has a handful of fields; another kind of file may look as if it had many. */
const maxFields = 1000;

/**
 * Computes how long an ONNX file has to be from the lengths of its outermost fields. It needs only
 * a few reads, however large the file is, and tells a truncated download from a complete one.
 *
 * @returns Bytes, at most one field past the end of the file; undefined if this is not an ONNX
 * file.
 */
export async function onnxLength(file: FileHandle, bytes: number): Promise<number | undefined> {
  let at = 0;
  for (let field = 0; at < bytes; field++) {
    if (field === maxFields) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderBytes), 0, undefined, at);
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
      default: // An ONNX model has no other kind of field.
        return undefined;
    }
  }
  return at;
}

/** Reads a number in the format's own encoding. */
export function varint(buffer: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let at = start, scale = 1; at < buffer.length && at - start < 10; at++, scale *= 128) {
    const byte = buffer[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at + 1 };
  }
  return undefined;
}
