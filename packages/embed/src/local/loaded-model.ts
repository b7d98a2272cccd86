import type { InferenceSession } from "onnxruntime-node";
import { EmbeddingError, ModelInvalidError } from "../errors.ts";
import { toUnitVector } from "../unit-vector.ts";
import { floatsOf } from "./float16.ts";
import { feedsOf, inputsOf } from "./inputs.ts";
import type { LocalModel } from "./local-model.ts";
import { pool } from "./pooling.ts";
import { loadRuntime } from "./runtime.ts";
import { loadTokenizer } from "./tokenizer.ts";

/** A model in memory. */
export type LoadedModel = {
  encode(text: string): number[];
  /** Returns the unit vectors of one batch of token rows, in order. */
  run(batch: readonly (readonly number[])[]): Promise<Float32Array[]>;
  release(): Promise<void>;
};

/** The output names that exports use for one vector per text, and for one vector per token. */
const pooledOutputs = ["sentence_embedding"];
/** The outputs of heads for other purposes. */
const otherOutputs = ["pooler_output", "logits"];
const tokenOutputs = ["last_hidden_state", "token_embeddings"];

/**
 * Loads the runtime, the tokenizer and the weights.
 *
 * @param threads - For one run. If undefined, the runtime's own choice: all cores.
 * @throws {RuntimeMissingError} {@link ModelInvalidError}
 */
export async function loadModel(
  model: LocalModel,
  threads: number | undefined,
): Promise<LoadedModel> {
  const { location, dimension } = model;
  const runtime = await loadRuntime();
  const tokenizer = await loadTokenizer(model);
  const session = await runtime.InferenceSession.create(model.modelFile, {
    executionProviders: ["cpu"],
    logSeverityLevel: 4,
    ...(threads !== undefined && { intraOpNumThreads: threads }),
  }).catch((error: unknown) => {
    const reason = `the runtime refuses its ONNX file: ${messageOf(error)}`;
    throw new ModelInvalidError(location, reason, { cause: error });
  });
  const { inputs, output, isPooled } = await signatureOf(model, session);

  return {
    encode: tokenizer.encode,
    release: () => session.release(),
    run: async (rows) => {
      const width = Math.max(...rows.map((row) => row.length));
      const tensors = feedsOf(runtime, inputs, rows, width, tokenizer.paddingId);
      const results = await session.run(tensors, [output]).catch((error: unknown) => {
        throw runError(model, error);
      });
      const result = results[output];
      const shape = isPooled ? [rows.length, dimension] : [rows.length, width, dimension];
      const hidden = result && floatsOf(result);
      if (hidden === undefined || String(result?.dims) !== String(shape)) {
        const reason = `its output "${output}" is ${result?.type} [${result?.dims}], and should be float32 [${shape}]`;
        throw new ModelInvalidError(location, reason);
      }
      const lengths = rows.map((row) => row.length);
      const vectors = isPooled
        ? pool(hidden, lengths, 1, dimension, "cls")
        : pool(hidden, lengths, width, dimension, model.pooling);
      result?.dispose();
      return vectors.map((vector) => toUnitVector(vector) ?? refuseVector(model));
    },
  };
}

/** Inputs and outputs of the model. A session that does not fit is released. */
async function signatureOf(model: LocalModel, session: InferenceSession) {
  try {
    return { inputs: inputsOf(model.location, session), ...outputOf(model, session) };
  } catch (error) {
    await session.release();
    throw error;
  }
}

function outputOf(
  { location, dimension }: LocalModel,
  { outputNames, outputMetadata }: InferenceSession,
) {
  const pooled =
    pooledOutputs.find((name) => outputNames.includes(name)) ??
    singleVectorOutput(outputMetadata, dimension);
  if (pooled !== undefined) return { output: pooled, isPooled: true };
  const output =
    tokenOutputs.find((name) => outputNames.includes(name)) ??
    outputMetadata.find((each) => each.isTensor && each.shape.length === 3)?.name;
  if (output !== undefined) return { output, isPooled: false };
  const reason = `it gives ${outputNames.join(", ") || "nothing"}, and no vector of a text or a token`;
  throw new ModelInvalidError(location, reason);
}

/**
 * The name of the graph's output, if it has only one and that is a vector per text of the right
 * length.
 */
function singleVectorOutput(
  outputs: InferenceSession["outputMetadata"],
  dimension: number,
): string | undefined {
  const [only] = outputs;
  if (outputs.length !== 1 || !only?.isTensor || only.shape.length !== 2) return undefined;
  const length = only.shape[1];
  const mayBe = length === dimension || typeof length === "string";
  return mayBe && !otherOutputs.includes(only.name) ? only.name : undefined;
}

/** Only a run shows that a token has no row in the embedding table. */
function runError({ location, modelId }: LocalModel, error: unknown): Error {
  const message = messageOf(error);
  if (/indices element out of data bounds/.test(message)) {
    const reason =
      "its tokenizer has tokens that the model does not know: they do not belong together";
    return new ModelInvalidError(location, reason, { cause: error });
  }
  return new EmbeddingError(
    { model: modelId, reason: message, isOfEveryText: false },
    { cause: error },
  );
}

function refuseVector({ modelId }: LocalModel): never {
  const reason = "the model gives a vector that is zero or not a number";
  throw new EmbeddingError({ model: modelId, reason, isOfEveryText: false });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
