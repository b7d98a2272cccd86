import { createHash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import type { Embedder, EmbedLimits, EmbedOptions } from "../embedder.ts";
import { EmbeddingError } from "../errors.ts";
import { Lifetime } from "../lifetime.ts";
import { connectionFailure, type Network, openNetwork, publicAddress } from "../network.ts";
import {
  type Attempt,
  backgroundRetryPolicy,
  type Clock,
  isTransientStatus,
  retry,
  retryAfterMs,
  systemClock,
} from "../retry.ts";
import type { HttpSettings } from "../settings.ts";
import { createRateLimit } from "./rate-limit.ts";
import {
  hintOf,
  isLasting,
  isRefusedForLength,
  kindOfError,
  lengthHint,
  statusInside,
} from "./refusal.ts";
import { readAnswer } from "./response.ts";

const defaults = {
  maxTexts: 64,
  maxCharacters: 6_000,
  timeoutMs: 60_000,
};

/** Also that of a query: somebody waits for it, and without a vector it still finds by words. */
const briefRetryPolicy = { attempts: 2, maxWaitMs: 1000 };

/**
 * A model that is being loaded may be late for the first try. One that is late for the second, too,
 * would cost a minute each time.
 */
const attemptsInTime = 2;

/**
 * How often a text that is refused even alone is cut in half, and how long such a text has to be:
 * as long as 512 tokens are in any script.
 */
const halving = { most: 4, fromCharacters: 500 };

/** Bytes of an answer besides its numbers, and of one number written out. */
const envelopeBytes = 1_000_000;
const bytesPerNumber = 40;

/** A model behind an OpenAI-compatible endpoint. Sends nothing before the first text. */
export class HttpEmbedder implements Embedder {
  readonly modelId: string;
  readonly dimension: number;
  readonly limits: EmbedLimits;
  readonly #settings: HttpSettings;
  readonly #url: URL;
  readonly #apiKey: string;
  readonly #clock: Clock;
  readonly #maxCharacters: number;
  readonly #awaitTurn: (signal?: AbortSignal) => Promise<void>;
  readonly #lifetime: Lifetime;
  #network: Promise<Network> | undefined;

  /**
   * @throws {TypeError} for an invalid url or key, {RangeError} for a number that makes no sense.
   */
  constructor(settings: HttpSettings, clock: Clock = systemClock) {
    const { maxTexts = defaults.maxTexts, maxCharacters = defaults.maxCharacters } = settings;
    for (const [name, value] of Object.entries({ maxTexts, maxCharacters, ...settings })) {
      if (typeof value === "number" && !(value > 0)) throw new RangeError(`${name}: ${value}`);
    }
    this.#url = endpointOf(settings.url);
    this.#apiKey = keyOf(settings.apiKey);
    this.#settings = settings;
    this.#clock = clock;
    this.#maxCharacters = maxCharacters;
    this.#awaitTurn = createRateLimit(settings.requestsPerMinute, clock);
    this.modelId = `${settings.model}#${digestOf(settings, maxCharacters)}`;
    this.dimension = settings.dimension;
    // How an endpoint counts tokens is not known here, so texts are cut at characters.
    this.limits = { maxTexts, maxTokens: maxCharacters };
    this.#lifetime = new Lifetime(this.modelId);
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    if (texts.length > this.limits.maxTexts) {
      throw new RangeError(`${texts.length} texts; at most ${this.limits.maxTexts} in one call`);
    }
    return this.#lifetime.run(() => this.#embed(texts, options));
  }

  async close(): Promise<void> {
    await this.#lifetime.close();
    await (await this.#network)?.close();
  }

  async #embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    options.signal?.throwIfAborted();
    if (texts.length === 0) return [];
    const { queryPrefix = "", passagePrefix = "" } = this.#settings;
    const prefix = options.kind === "query" ? queryPrefix : passagePrefix;
    const input = texts.map((text) => truncate(prefix + text, this.#maxCharacters));
    const { outcome, attempts } = await this.#ask(input, options);
    if (outcome.ok) return outcome.value;
    const { reason, status, isSizeRelated = false } = outcome;
    throw new EmbeddingError({
      model: this.#settings.model,
      reason,
      isOfEveryText: !isSizeRelated && (status === undefined || isOfEveryText(status)),
      url: publicAddress(this.#url),
      attempts,
      ...(status !== undefined && { status }),
    });
  }

  /**
   * Sends the texts. A long text that is refused even alone, as one too long for the model is, is
   * sent again cut in half.
   */
  async #ask(
    input: readonly string[],
    options: EmbedOptions,
    cuts = halving.most,
  ): Promise<{ outcome: Attempt<Float32Array[]>; attempts: number }> {
    const { kind, isBrief = kind === "query", signal } = options;
    const body = JSON.stringify({ model: this.#settings.model, input });
    const asked = await retry(
      () => this.#post(body, input, signal),
      isBrief ? briefRetryPolicy : backgroundRetryPolicy,
      this.#clock,
      options,
    );
    const [only = "", ...others] = input;
    const isTooLong = !asked.outcome.ok && asked.outcome.isSizeRelated === true;
    if (!isTooLong || others.length > 0 || !isLong(only) || cuts === 0) {
      return asked;
    }
    const half = truncate(only, Math.ceil(only.length / 2));
    const next = await this.#ask([half], options, cuts - 1);
    return { ...next, attempts: asked.attempts + next.attempts };
  }

  async #post(body: string, input: readonly string[], signal: AbortSignal | undefined) {
    const count = input.length;
    await this.#awaitTurn(signal);
    this.#network ??= openNetwork(this.#settings.env ?? process.env);
    const network = await this.#network;
    const { timeoutMs = defaults.timeoutMs } = this.#settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await network.request(this.#url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "accept-encoding": "identity",
          ...(this.#apiKey && { authorization: `Bearer ${this.#apiKey}` }),
        },
        body,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        idleTimeoutMs: timeoutMs,
      });
      const text = await readBounded(
        decompressed(response.body, response.headers["content-encoding"]),
        envelopeBytes + count * this.dimension * bytesPerNumber,
      ).catch((error: unknown) => {
        // For a failure, the status says enough.
        if (response.statusCode === 200 || !isDecompressionError(error)) throw error;
        return undefined;
      });
      const status = response.statusCode === 200 ? statusInside(text) : response.statusCode;
      if (status !== 200) {
        const isTooLong = isRefusedForLength(status, text);
        const pauseMs = retryAfterMs(response.headers["retry-after"], this.#clock);
        const kind = kindOfError(text);
        const hint = isTooLong && input.some(isLong) ? lengthHint : hintOf(status, pauseMs);
        return {
          ok: false as const,
          reason: `the endpoint answered ${status}${kind && ` (${kind})`}${hint}`,
          isTransient: isTransientStatus(status) && !isTooLong && !isLasting(status, kind, text),
          isSizeRelated: isTooLong,
          status,
          retryAfterMs: pauseMs,
        };
      }
      if (text === undefined) {
        return {
          ok: false as const,
          reason: "the endpoint's answer is too long",
          isTransient: false,
          status,
        };
      }
      const answer = readAnswer(text, count, this.dimension);
      return answer.ok
        ? { ok: true as const, value: answer.vectors }
        : { ok: false as const, reason: answer.reason, isTransient: false, status };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) {
        const reason = `the endpoint did not answer in ${timeoutMs / 1000} s`;
        // A slow machine that did not manage it in time would not manage it the second time either.
        const isSizeRelated = count > 1;
        const attempts = attemptsInTime;
        return { ok: false as const, reason, isTransient: !isSizeRelated, isSizeRelated, attempts };
      }
      if (isDecompressionError(error)) {
        const reason = "the endpoint's answer is compressed and cannot be decompressed";
        return { ok: false as const, reason, isTransient: false, status: 200 };
      }
      return { ok: false as const, ...connectionFailure(error) };
    }
  }
}

/** The statuses of a wrong key, a wrong path or an unknown model. */
const misconfigurationStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405]);

function isOfEveryText(status: number): boolean {
  // Some servers answer 500 to a text that is too long.
  return misconfigurationStatuses.has(status) || (isTransientStatus(status) && status !== 500);
}

function endpointOf(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`an endpoint's url begins with http:// or https://, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("an endpoint's url must not hold a user or password; use apiKey");
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/embeddings`;
  return url;
}

/** A key often comes from a file, together with its line break. */
function keyOf(apiKey = ""): string {
  const key = apiKey.trim();
  // The same check that the HTTP client makes for a header.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(key)) {
    throw new TypeError(
      "apiKey holds a character that no HTTP header can hold, such as a line break",
    );
  }
  return key;
}

/** The address is not part of it: a model that moves to another machine keeps its vectors. */
function digestOf(settings: HttpSettings, maxCharacters: number): string {
  const { dimension, queryPrefix = "", passagePrefix = "" } = settings;
  return createHash("sha256")
    .update(JSON.stringify([dimension, queryPrefix, passagePrefix, maxCharacters]))
    .digest("hex")
    .slice(0, 12);
}

/**
 * Cuts between characters. Endpoints refuse an empty text, and some cannot read a broken one as
 * JSON.
 */
function truncate(text: string, maxCharacters: number): string {
  const cut = text.slice(0, maxCharacters);
  return (
    (text.length > maxCharacters ? cut.replace(/[\uD800-\uDBFF]$/, "") : cut).toWellFormed() || " "
  );
}

/** Unpacks a body that a gateway has compressed; some do so unasked. */
function decompressed(body: Readable, encoding: string | string[] | undefined): Readable {
  const named = String(encoding ?? "").toLowerCase();
  if (!["gzip", "x-gzip", "deflate", "br"].includes(named)) return body;
  const plain = named === "br" ? createBrotliDecompress() : createUnzip();
  // The reader of `plain` gets the error if the body breaks off.
  return pipeline(body, plain, () => {});
}

function isDecompressionError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "Z_DATA_ERROR" || code.startsWith("ERR__ERROR_");
}

/** The text of the body; undefined if it is longer than `maxBytes`. */
async function readBounded(body: Readable, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isLong(text: string): boolean {
  return text.length >= halving.fromCharacters;
}
