const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The bits of a number as float16, rounded to the nearest, ties to even. */
export function toFloat16Bits(value: number): number {
  float[0] = value;
  const source = bits[0] ?? 0;
  const sign = (source >>> 16) & 0x8000;
  const magnitude = source & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 and more round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Below 2^-14 all steps are 2^-24 wide.
  if (magnitude < 0x38800000) return sign | roundToEven(Math.abs(value) * 2 ** 24);
  const roundUp = 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((magnitude - 0x38000000 + roundUp) >>> 13);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
