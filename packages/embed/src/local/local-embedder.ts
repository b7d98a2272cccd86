import type { Embedder, EmbedLimits, EmbedOptions } from "../embedder.ts";
import { ModelInvalidError } from "../errors.ts";
import { Lifetime } from "../lifetime.ts";
import { planBatches } from "./batches.ts";
import { type LoadedModel, loadModel } from "./loaded-model.ts";
import type { LocalModel } from "./local-model.ts";

const defaults = { idleMs: 300_000, maxTexts: 256 };

export type LocalOptions = {
  readonly threads?: number | undefined;
  readonly idleMs?: number | undefined;
};

/** A local model. It is loaded at the first text and unloaded when nobody has asked for a while. */
export class LocalEmbedder implements Embedder {
  readonly modelId: string;
  readonly dimension: number;
  readonly limits: EmbedLimits;
  readonly #model: LocalModel;
  readonly #open: () => Promise<LocalModel>;
  readonly #options: LocalOptions;
  readonly #loadModel: typeof loadModel;
  readonly #lifetime: Lifetime;
  #loading: Promise<LoadedModel> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** The last batch given to the model. Batches of all callers run one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  /** @param open - Reads again the folder or manifest that `model` came from. */
  constructor(
    model: LocalModel,
    open: () => Promise<LocalModel>,
    options: LocalOptions,
    load: typeof loadModel = loadModel,
  ) {
    this.modelId = model.modelId;
    this.dimension = model.dimension;
    this.limits = { maxTexts: defaults.maxTexts, maxTokens: model.maxTokens };
    this.#model = model;
    this.#open = open;
    this.#options = options;
    this.#loadModel = load;
    this.#lifetime = new Lifetime(model.modelId);
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    if (texts.length > this.limits.maxTexts) {
      throw new RangeError(`${texts.length} texts; at most ${this.limits.maxTexts} in one call`);
    }
    return this.#lifetime
      .run(() => this.#embed(texts, options))
      .finally(() => this.#scheduleRelease(this.#options.idleMs ?? defaults.idleMs));
  }

  async close(): Promise<void> {
    await this.#lifetime.close();
    await this.#release();
  }

  async #embed(texts: readonly string[], { kind, signal }: EmbedOptions): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    clearTimeout(this.#idleTimer);
    const model = await this.#load();
    const { queryPrefix, passagePrefix, isLowerCase } = this.#model;
    const prefix = kind === "query" ? queryPrefix : passagePrefix;
    const whole = texts.map((text) => prefix + text);
    const rows = whole.map((text) => model.encode(isLowerCase ? text.toLowerCase() : text));
    const vectors: Float32Array[] = new Array(texts.length);
    for (const batch of planBatches(rows.map((row) => row.length))) {
      const found = await this.#inTurn(() => {
        signal?.throwIfAborted();
        return model.run(batch.map((index) => rows[index] ?? []));
      });
      batch.forEach((index, at) => {
        const vector = found[at];
        if (vector !== undefined) vectors[index] = vector;
      });
    }
    return vectors;
  }

  /** Lets a query wait for one batch of a long import instead of the whole import. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(run);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  #load(): Promise<LoadedModel> {
    this.#loading ??= this.#loadUnchanged().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /**
   * Loads the model, if it is still the same: its files may have changed since it was opened, and
   * vectors of two models do not mix.
   */
  async #loadUnchanged(): Promise<LoadedModel> {
    const { modelId, location } = this.#model;
    const found = await this.#open();
    if (found.modelId !== modelId) {
      const reason = `the model there is now ${found.modelId}, not ${modelId}, which was opened; open it again`;
      throw new ModelInvalidError(location, reason);
    }
    return this.#loadModel(found, this.#options.threads);
  }

  #scheduleRelease(idleMs: number): void {
    clearTimeout(this.#idleTimer);
    if (!this.#lifetime.isIdle || this.#loading === undefined) return;
    // Nobody waits for this; a model that cannot be released goes when the process does.
    const release = () => void this.#release().catch(() => {});
    this.#idleTimer = setTimeout(release, idleMs).unref();
  }

  async #release(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const loading = this.#loading;
    this.#loading = undefined;
    await (await loading?.catch(() => undefined))?.release();
  }
}
