import type { Embedder, EmbedderSettings } from "@pond/embed";
import type { Context } from "./context.ts";
import type { Environment } from "./directories.ts";
import type { Embeddings } from "./embeddings.ts";
import { ConfigError } from "./errors.ts";
import { isAbort } from "./report-error.ts";

/**
 * The outcome of opening the configured model: the model, why it cannot be used, or neither if it
 * is off.
 */
export type OpenedEmbedder = { readonly embedder?: Embedder; readonly failure?: Error };

/**
 * Runs `use` with the configured model and closes it in any case. Code of models is loaded only
 * from here, and only if embedding is on (spec 8, opt-in); the model itself is loaded when it is
 * first asked for a vector.
 */
export async function withEmbedder<T>(
  { settings, env }: Pick<Context, "settings" | "env">,
  use: (opened: OpenedEmbedder) => Promise<T>,
): Promise<T> {
  const { embeddings, directories } = settings;
  if (!embeddings.isOn) return use({});
  const opened = await open(embeddings, env, directories.models);
  try {
    return await use(opened);
  } finally {
    await opened.embedder?.close();
  }
}

type EmbeddingsOn = Extract<Embeddings, { isOn: true }>;

async function open(
  configured: EmbeddingsOn,
  env: Environment,
  cacheDirectory: string,
): Promise<OpenedEmbedder> {
  try {
    const settings = toSettings(configured, env, cacheDirectory);
    const { openEmbedder } = await import("@pond/embed");
    return { embedder: await openEmbedder(settings) };
  } catch (error) {
    if (!(error instanceof Error) || isAbort(error)) throw error;
    return { failure: error };
  }
}

/** @throws {ConfigError} if the variable that should hold the key is not set. */
function toSettings(
  { model, place }: EmbeddingsOn,
  env: Environment,
  cacheDirectory: string,
): EmbedderSettings {
  switch (model.kind) {
    case "pinned":
      return { ...model, cacheDirectory };
    case "folder":
      return model;
    case "http": {
      const { apiKeyEnv, ...rest } = model;
      const apiKey = apiKeyEnv === undefined ? undefined : apiKeyOf(apiKeyEnv, place, env);
      return { ...rest, env, ...(apiKey !== undefined && { apiKey }) };
    }
  }
}

function apiKeyOf(variable: string, place: string, env: Environment): string {
  const key = env[variable];
  if (key) return key;
  throw new ConfigError(
    `${place}: "embeddings.api_key_env" names ${variable}, but that variable is not set`,
    { key: "embeddings.api_key_env", variable },
  );
}
