// Lance describes its manifests and files in Protocol Buffers.

/** The messages in a field, undecoded. */
export function* messagesIn(message: Buffer, field: number): Generator<Buffer> {
  for (const each of fieldsOf(message)) if (each.field === field && each.bytes) yield each.bytes;
}

export function textIn(message: Buffer, field: number): string {
  const [bytes] = messagesIn(message, field);
  return bytes?.toString() ?? "";
}

export function numberIn(message: Buffer, field: number): number | undefined {
  const value = varintIn(message, field);
  return value === undefined ? undefined : Number(value);
}

export function varintIn(message: Buffer, wanted: number): bigint | undefined {
  for (const { field, varint } of fieldsOf(message)) if (field === wanted) return varint;
  return undefined;
}

type Field = { readonly field: number; readonly varint?: bigint; readonly bytes?: Buffer };

/** The fields of a Protocol Buffers message. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number has more than 64 bits");
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (wireType === 0) yield { field, varint: varint() };
    else if (wireType === 2) {
      const length = Number(varint());
      if (at + length > message.length) throw new RangeError("a field is longer than its message");
      yield { field, bytes: message.subarray(at, at + length) };
      at += length;
    } else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else throw new RangeError(`wire type ${wireType} is none`);
  }
}
