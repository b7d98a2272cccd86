import { realpath } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { ModelInvalidError } from "../errors.ts";
import {
  countOf,
  isObject,
  type JsonObject,
  readJson,
  readJsonObject,
  textOf,
} from "../json-file.ts";
import type { FolderSettings, Pooling } from "../settings.ts";
import { conventionOf } from "./conventions.ts";
import { fingerprint } from "./fingerprint.ts";
import type { LocalModel } from "./local-model.ts";
import { findModelFile, requireComplete, weightFilesOf } from "./model-files.ts";

/** The limit of most models, used if nothing else is stated. */
const defaultMaxTokens = 512;
/** Tokenizers without a limit of their own write a number near 1e30. */
const tokenCeiling = 1_000_000;

/**
 * Reads a model folder in the layout of sentence-transformers and the usual exporters, without
 * loading the model. The settings come first, then what the folder says, then what models of that
 * name are known to want.
 *
 * @throws {ModelNotFoundError} {@link ModelIncompleteError} {@link ModelInvalidError}
 */
export async function openFolderModel(settings: FolderSettings): Promise<LocalModel> {
  const folder = resolve(settings.folder);
  const modelFile = await findModelFile(folder);
  await requireComplete(folder, folder, relative(folder, modelFile));
  const weightFiles = await weightFilesOf(folder, modelFile);
  await requireComplete(folder, folder, "tokenizer.json");
  await requireComplete(folder, folder, "config.json");
  const read = (name: string) => readJsonObject(folder, join(folder, name));
  const config = await read("config.json");
  const tokenizerConfig = (await read("tokenizer_config.json")) ?? {};
  const poolingConfig = await read(join(await poolingFolderOf(folder), "config.json"));
  const sentenceConfig = await read("sentence_bert_config.json");
  const tokenizerFile = join(folder, "tokenizer.json");
  const isLowerCase =
    sentenceConfig?.["do_lower_case"] === true &&
    !lowercases((await read("tokenizer.json"))?.["normalizer"]);
  const prompts = (await read("config_sentence_transformers.json"))?.["prompts"];

  const names = [basename(folder), await nameAtHub(folder), textOf(config, "_name_or_path")];
  const convention = conventionOf(names.filter((name) => name !== undefined));
  const prompt = (...names: string[]): string | undefined =>
    names
      .map((name) => textOf(isObject(prompts) ? prompts : undefined, name))
      .find((each) => each !== undefined);
  const chosen = {
    dimension: dimensionOf(folder, config, poolingConfig),
    pooling: settings.pooling ?? poolingOf(folder, poolingConfig) ?? convention.pooling,
    queryPrefix: settings.queryPrefix ?? prompt("query") ?? convention.queryPrefix,
    passagePrefix:
      settings.passagePrefix ?? prompt("passage", "document") ?? convention.passagePrefix,
    maxTokens: maxTokensOf(folder, settings.maxTokens, config, tokenizerConfig, sentenceConfig),
    ...(isLowerCase && { isLowerCase }),
  };
  refuseExcludedPrompts(folder, poolingConfig, chosen);
  const vocabularySize = countOf(config, "vocab_size");
  const digest = await fingerprint({ ...chosen, tokenizerConfig }, [
    modelFile,
    tokenizerFile,
    ...weightFiles,
  ]);
  return {
    ...chosen,
    modelId: `${basename(folder)}#${digest}`,
    location: folder,
    modelFile,
    tokenizerFile,
    tokenizerConfig,
    ...(vocabularySize !== undefined && { vocabularySize }),
  };
}

/**
 * The folder that says how tokens become a vector.
 *
 * @throws {ModelInvalidError} for steps after pooling: they are not part of the graph, and leaving
 * them out gives different vectors.
 */
async function poolingFolderOf(folder: string): Promise<string> {
  const modules = await readJson(folder, join(folder, "modules.json"));
  let pooling = "1_Pooling";
  for (const module of Array.isArray(modules) ? modules : []) {
    if (!isObject(module)) continue;
    const type = textOf(module, "type")?.split(".").at(-1);
    if (type === "Pooling") pooling = textOf(module, "path") ?? pooling;
    if (type !== undefined && !["Transformer", "Pooling", "Normalize"].includes(type)) {
      const reason = `modules.json has a step "${type}", which is not supported`;
      throw new ModelInvalidError(folder, reason);
    }
  }
  return pooling;
}

/** Whether a tokenizer lowercases text itself; a folder's statement about it then adds nothing. */
function lowercases(normalizer: unknown): boolean {
  if (!isObject(normalizer)) return false;
  const { type, lowercase, normalizers } = normalizer;
  if (type === "Sequence") return Array.isArray(normalizers) && normalizers.some(lowercases);
  return type === "Lowercase" || (type === "BertNormalizer" && lowercase === true);
}

/** The model's name at the hub. In the hub's own cache a model's folder is named by its commit. */
async function nameAtHub(folder: string): Promise<string | undefined> {
  const path = await realpath(folder);
  return /models--([^/\\]+)[/\\]snapshots[/\\]/.exec(path)?.[1]?.replaceAll("--", "/");
}

function refuseExcludedPrompts(
  folder: string,
  poolingConfig: JsonObject | undefined,
  {
    pooling,
    queryPrefix,
    passagePrefix,
  }: Pick<LocalModel, "pooling" | "queryPrefix" | "passagePrefix">,
): void {
  const areExcluded = pooling === "mean" && poolingConfig?.["include_prompt"] === false;
  if (!areExcluded || queryPrefix + passagePrefix === "") return;
  const reason = "its pooling leaves prefixes out of the mean, which is not supported";
  throw new ModelInvalidError(folder, reason);
}

function dimensionOf(
  folder: string,
  config: JsonObject | undefined,
  poolingConfig: JsonObject | undefined,
): number {
  const hidden =
    countOf(config, "hidden_size") ?? countOf(config, "dim") ?? countOf(config, "d_model");
  const pooled = countOf(poolingConfig, "word_embedding_dimension");
  if (hidden !== undefined && pooled !== undefined && hidden !== pooled) {
    const reason = `config.json says vectors of ${hidden} numbers, 1_Pooling/config.json of ${pooled}`;
    throw new ModelInvalidError(folder, reason);
  }
  const dimension = hidden ?? pooled;
  if (dimension !== undefined) return dimension;
  throw new ModelInvalidError(folder, "config.json does not say how long its vectors are");
}

function poolingOf(folder: string, config: JsonObject | undefined): Pooling | undefined {
  if (config === undefined) return undefined;
  const mode = textOf(config, "pooling_mode");
  const modes = mode === undefined ? enabledModes(config) : [mode];
  const [only] = modes;
  if (modes.length === 1 && (only === "mean" || only === "cls")) return only;
  const reason = `1_Pooling/config.json asks for ${modes.join(" and ") || "no pooling"}; mean and cls are supported`;
  throw new ModelInvalidError(folder, reason);
}

function enabledModes(config: JsonObject): string[] {
  const names: Readonly<Record<string, string>> = { mean_tokens: "mean", cls_token: "cls" };
  return Object.keys(config)
    .filter((key) => key.startsWith("pooling_mode_") && config[key] === true)
    .map((key) => key.slice("pooling_mode_".length))
    .map((mode) => names[mode] ?? mode);
}

function maxTokensOf(
  folder: string,
  asked: number | undefined,
  config: JsonObject | undefined,
  tokenizerConfig: JsonObject,
  sentenceConfig: JsonObject | undefined,
): number {
  const positions = countOf(config, "max_position_embeddings");
  // RoBERTa numbers positions from the padding token's id on.
  const reserved = /roberta/.test(textOf(config, "model_type") ?? "") ? 2 : 0;
  const upperLimit = positions === undefined ? tokenCeiling : positions - reserved;
  if (asked !== undefined && asked > upperLimit) {
    throw new ModelInvalidError(folder, `it takes ${upperLimit} tokens of a text, not ${asked}`);
  }
  const stated = [
    countOf(sentenceConfig, "max_seq_length"),
    countOf(tokenizerConfig, "model_max_length"),
  ].filter((limit) => limit !== undefined && limit < tokenCeiling);
  return asked ?? Math.min(upperLimit, stated[0] ?? Math.min(upperLimit, defaultMaxTokens));
}
