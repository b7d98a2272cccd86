import type { SessionStore } from "@pond/sessions";
import { type BacklogMessage, type BacklogText, readTexts } from "@pond/sessions/embeddings";

/**
 * The characters of one batch, and about as many as are read at once; more only if one text has
 * them.
 */
const maxBatchChars = 4 * 1024 * 1024;
/** Rows read at once, until it is known how long texts are. */
const firstRows = 16;

/**
 * Reads the texts of messages batch by batch: as many as a model takes at once, or as memory
 * allows.
 */
export class WaitingTexts {
  readonly #sessions: SessionStore;
  readonly #modelId: string;
  readonly #maxTexts: number;
  #rows: number;

  constructor(sessions: SessionStore, modelId: string, maxTexts: number) {
    this.#sessions = sessions;
    this.#modelId = modelId;
    this.#maxTexts = maxTexts;
    this.#rows = Math.min(firstRows, maxTexts);
  }

  async *batchesOf(messages: readonly BacklogMessage[]): AsyncGenerator<readonly BacklogText[]> {
    let batch: BacklogText[] = [];
    let characters = 0;
    for (let from = 0; from < messages.length; ) {
      const rows = messages.slice(from, from + this.#rows);
      from += rows.length;
      const texts = await readTexts(this.#sessions, this.#modelId, rows);
      this.#adapt(texts);
      for (const each of texts) {
        const isFull = characters + each.text.length > maxBatchChars;
        if (batch.length === this.#maxTexts || (isFull && batch.length > 0)) {
          yield batch;
          batch = [];
          characters = 0;
        }
        batch.push(each);
        characters += each.text.length;
      }
    }
    if (batch.length > 0) yield batch;
  }

  /**
   * Long texts stand together, as when somebody pastes logs: the next ones are probably as long as
   * these.
   */
  #adapt(texts: readonly BacklogText[]): void {
    // What another process embedded in the meantime says nothing about the next ones.
    if (texts.length === 0) return;
    const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
    const fitting = Math.floor((texts.length * maxBatchChars) / Math.max(1, characters));
    this.#rows = Math.max(1, Math.min(fitting, this.#rows * 2, this.#maxTexts));
  }
}
