import type { Tensor } from "onnxruntime-node";

/** The numbers of a tensor of floats, including half precision; undefined for any other tensor. */
export function floatsOf({ type, data }: Tensor): Float32Array | undefined {
  if (data instanceof Float32Array) return data;
  if (type !== "float16" || !ArrayBuffer.isView(data)) return undefined;
  // Bits, or numbers if the engine has such a type: both are two bytes each.
  const bits = new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
  return Float32Array.from(bits, fromFloat16Bits);
}

function fromFloat16Bits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0) return sign * fraction * 2 ** -14;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction) * 2 ** (exponent - 15);
}
