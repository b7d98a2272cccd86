/**
 * Reads a body as text, or says why there is none. Never holds much more than `maxBytes` of it.
 *
 * @throws What the connection throws when it is cut.
 */
export async function readBody(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const { body, headers } = response;
  if (body === null) return { text: "" };
  const tooLong = { reason: `is longer than ${maxBytes} bytes` };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    // The length as sent. If it is compressed, more arrives, and that is counted below.
    if (Number(headers.get("content-length")) > maxBytes) return tooLong;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return decode(chunks, bytes);
      bytes += value.length;
      if (bytes > maxBytes) return tooLong;
      chunks.push(value);
    }
  } finally {
    // Nobody wants the rest; if everything was read, this does nothing.
    reader.cancel().catch(() => undefined);
  }
}

function decode(
  chunks: readonly Uint8Array[],
  bytes: number,
): { readonly text: string } | { readonly reason: string } {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(whole) };
  } catch {
    return { reason: "is not UTF-8" };
  }
}
