import { createZstdDecompress, type ZstdDecompress } from "node:zlib";

/**
 * Decompresses consecutive frames: a decompressor of Node ends with its frame and drops the rest of
 * its input. Skippable frames hold nothing. Decompression goes on only as data is asked for: hardly
 * more than one chunk is ever held.
 *
 * @throws if a frame is cut off, or what follows one is not a frame.
 */
export async function* decompress(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = chunks[Symbol.asyncIterator]();
  try {
    let rest: Uint8Array | undefined;
    do {
      const decompressor = createZstdDecompress();
      const feed = new Feed(decompressor, input);
      feed.run(rest).catch((error) => decompressor.destroy(error));
      yield* decompressor;
      rest = feed.rest;
    } while (rest.length > 0);
  } finally {
    await input.return?.();
  }
}

/** Feeds a decompressor one chunk at a time until its frame ends. */
class Feed {
  readonly #decompressor: ZstdDecompress;
  readonly #input: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();
  #fedBytes = 0;

  constructor(decompressor: ZstdDecompress, input: AsyncIterator<Uint8Array>) {
    this.#decompressor = decompressor;
    this.#input = input;
  }

  /** @param first - Given before the input. */
  async run(first: Uint8Array | undefined): Promise<void> {
    let chunk = first ?? (await this.#next());
    while (chunk !== undefined) {
      await this.#write(chunk);
      if (this.rest.length > 0) return;
      chunk = await this.#next();
    }
    this.#decompressor.end();
  }

  /** What was fed but comes after the frame. */
  get rest(): Uint8Array {
    const unread = this.#fedBytes - this.#decompressor.bytesWritten;
    return this.#chunk.subarray(this.#chunk.length - unread);
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#input.next();
    return done ? undefined : value;
  }

  #write(chunk: Uint8Array): Promise<void> {
    this.#chunk = chunk;
    this.#fedBytes += chunk.length;
    return new Promise((resolve, reject) => {
      this.#decompressor.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
}
