// Embedders without a model and messages to embed, for the tests of this package.
import { hash } from "node:crypto";
import { PondError } from "@pond/canonical";
import type { Embedder, EmbedOptions } from "@pond/embed";
import { importSessions } from "./import.ts";
import { type Bench, line } from "./sync.test-kit.ts";

export type FakeEmbedder = Embedder & {
  /** Every text it was asked for. */
  readonly asked: string[];
  /** Texts in each call. */
  readonly calls: number[];
};

export type FakeOptions = {
  readonly modelId?: string;
  readonly dimension?: number;
  readonly maxTexts?: number;
  /** Runs before a batch is answered; may throw, or answer in its place. */
  readonly before?: (
    texts: readonly string[],
    calls: number,
    options: EmbedOptions,
  ) => readonly Float32Array[] | undefined | Promise<readonly Float32Array[] | undefined>;
};

/** An embedder whose vectors are digests: a text always has the same one. */
export function fakeEmbedder({
  modelId = "model-a",
  dimension = 384,
  maxTexts = 4,
  before = () => undefined,
}: FakeOptions = {}): FakeEmbedder {
  const asked: string[] = [];
  const calls: number[] = [];
  return {
    ...{ modelId, dimension, asked, calls, limits: { maxTexts, maxTokens: 512 } },
    async embed(texts, options) {
      calls.push(texts.length);
      const answer = await before(texts, calls.length, options);
      asked.push(...texts);
      return answer ?? texts.map((text) => digestVector(`${modelId} ${text}`, dimension));
    },
    async close() {},
  };
}

/** A unit vector whose numbers float16 holds exactly, so that it can be compared with the stored. */
function digestVector(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  const digest = hash("sha256", text, "buffer");
  for (const at of [0, 2, 4, 6]) {
    let place = digest.readUInt16BE(at) % dimension;
    while (vector[place] !== 0) place = (place + 1) % dimension;
    vector[place] = 0.5;
  }
  return vector;
}

/** Stores sessions of the given numbers of messages, each of them with a text of its own. */
export async function importTexts(bench: Bench, ...counts: readonly number[]): Promise<void> {
  for (const [at, count] of counts.entries()) {
    const id = `s${at}`;
    const lines = Array.from({ length: count }, (_, n) => line(id, `m${n}`, textOf(id, n)));
    bench.write(id, ...lines);
  }
  const { stateDirectory } = bench;
  const now = (): Date => new Date("2026-11-20T12:00:00Z");
  await importSessions(bench.sessions, bench.sources(), { stateDirectory, host: "bench", now });
}

export function textOf(session: string, message: number): string {
  return `The pond of ${session} said ${message}.`;
}

/** What is stored of each message's embedding: its model, and whether the vector is the text's. */
export async function storedEmbeddings(
  { sessions }: Bench,
  dimension: number = 384,
): Promise<Record<string, string | null>> {
  const columns = ["session_id", "id", "search_text", "embedding_model", "vector"];
  const rows = await sessions.store.table("messages").rows({ columns });
  const states = rows.map((row) => {
    const { session_id, id, search_text, embedding_model, vector } = row;
    const key = `${session_id}/${id}`;
    if (embedding_model === null) return [key, vector === null ? null : "a vector of no model"];
    const expected = digestVector(`${embedding_model} ${search_text}`, dimension);
    const isRight = vector instanceof Float32Array && String(vector) === String(expected);
    return [key, isRight ? String(embedding_model) : `another vector than ${embedding_model}'s`];
  });
  return Object.fromEntries(states.sort());
}

export function uniformVectors(count: number, dimension: number): Float32Array[] {
  return Array.from({ length: count }, () => new Float32Array(dimension).fill(dimension ** -0.5));
}

/** What an embedder throws that has no whole model. */
export class ModelMissingError extends PondError {
  readonly code = "model_incomplete";
  readonly details = {};
}
