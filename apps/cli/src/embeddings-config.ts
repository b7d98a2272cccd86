import {
  booleanAt,
  type ConfigSource,
  countAt,
  fileAndLineOf,
  optional,
  refuse,
  refuseUnknownKeys,
  resolvePath,
  stringAt,
  type Table,
  tableAt,
} from "./config-values.ts";

/** Which model makes vectors, and how it is reached. */
export type ModelConfig =
  | { readonly kind: "pinned"; readonly model: string; readonly threads?: number }
  | {
      readonly kind: "folder";
      readonly folder: string;
      readonly pooling?: "mean" | "cls";
      readonly queryPrefix?: string;
      readonly passagePrefix?: string;
      readonly maxTokens?: number;
      readonly threads?: number;
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly model: string;
      readonly dimension: number;
      /** Name of the environment variable that holds the key; no file of pond's holds it. */
      readonly apiKeyEnv?: string;
      readonly queryPrefix?: string;
      readonly passagePrefix?: string;
      readonly maxTexts?: number;
      readonly maxCharacters?: number;
      readonly requestsPerMinute?: number;
      readonly timeoutMs?: number;
    };

/** The `[embeddings]` table of `config.toml`. */
export type EmbeddingsConfig = {
  readonly isEnabled: boolean;
  /** Undefined only if it is switched off. */
  readonly model?: ModelConfig;
  /** `file:line`, for errors that appear when the model is opened. */
  readonly place: string;
};

const kinds = {
  pinned: ["enabled", "model", "threads"],
  folder: [
    ...["enabled", "folder", "pooling", "query_prefix", "passage_prefix"],
    ...["max_tokens", "threads"],
  ],
  http: [
    ...["enabled", "url", "model", "dimension", "api_key_env", "query_prefix", "passage_prefix"],
    ...["max_texts", "max_characters", "requests_per_minute", "timeout_seconds"],
  ],
} as const;

const threadsLimit = 256;
const dimensionLimit = 65_536;
const tokensLimit = 131_072;
const textsLimit = 2_048;
const charactersLimit = 1_000_000;
const requestsPerMinuteLimit = 1_000_000;
const timeoutSecondsLimit = 3_600;

/**
 * Reads the table. Its presence switches embedding on, unless it says `enabled = false`.
 *
 * @throws {ConfigError} if it names no model or several, or has settings that do not fit it.
 */
export function embeddingsAt(source: ConfigSource, value: unknown): EmbeddingsConfig {
  const table = tableAt(source, "embeddings", value);
  const every: string[] = [...new Set(Object.values(kinds).flat())];
  refuseUnknownKeys(source, table, "embeddings.", every);
  const isEnabled =
    optional(table, "enabled", (each) => booleanAt(source, "embeddings.enabled", each)) ?? true;
  const model = modelAt(source, table);
  if (isEnabled && model === undefined) {
    const ways = 'model = "NAME" (`pond models` lists them), folder = "DIR" or url = "URL"';
    refuse(source, "embeddings", `names no model: add ${ways}`);
  }
  return { isEnabled, ...(model && { model }), place: fileAndLineOf(source, "embeddings") };
}

function modelAt(source: ConfigSource, table: Table): ModelConfig | undefined {
  const kind = kindOf(source, table);
  if (kind === undefined) return undefined;
  refuseKeysOfOtherKinds(source, table, kind);
  const read = readerOf(source, table);
  const threads = read.count("threads", threadsLimit);
  switch (kind) {
    case "pinned":
      return { kind, model: read.required("model"), ...withoutUndefined({ threads }) };
    case "folder":
      return {
        kind,
        folder: resolvePath(source, read.required("folder")),
        ...withoutUndefined({
          pooling: optional(table, "pooling", (each) => poolingAt(source, each)),
          queryPrefix: read.prefix("query_prefix"),
          passagePrefix: read.prefix("passage_prefix"),
          maxTokens: read.count("max_tokens", tokensLimit),
          threads,
        }),
      };
    case "http": {
      const dimension = read.count("dimension", dimensionLimit);
      const seconds = read.count("timeout_seconds", timeoutSecondsLimit);
      return {
        kind,
        url: urlAt(source, read.required("url")),
        model: read.required("model"),
        dimension: dimension ?? missing(source, "dimension", "how long its vectors are"),
        ...withoutUndefined({
          apiKeyEnv: optional(table, "api_key_env", (each) => variableAt(source, each)),
          queryPrefix: read.prefix("query_prefix"),
          passagePrefix: read.prefix("passage_prefix"),
          maxTexts: read.count("max_texts", textsLimit),
          maxCharacters: read.count("max_characters", charactersLimit),
          requestsPerMinute: read.count("requests_per_minute", requestsPerMinuteLimit),
          timeoutMs: seconds === undefined ? undefined : seconds * 1000,
        }),
      };
    }
  }
}

/** An address names its model with `model`, too; a folder stands alone. */
function kindOf(source: ConfigSource, table: Table): ModelConfig["kind"] | undefined {
  const named = ["folder", "url", "model"].filter((key) => Object.hasOwn(table, key));
  const [first, second] = named;
  if (first === "folder" && second !== undefined) {
    refuse(source, "embeddings.folder", `and "embeddings.${second}" both name a model: keep one`);
  }
  if (first === "folder") return "folder";
  if (first === "url") return "http";
  return first === "model" ? "pinned" : undefined;
}

function refuseKeysOfOtherKinds(
  source: ConfigSource,
  table: Table,
  kind: ModelConfig["kind"],
): void {
  const known: readonly string[] = kinds[kind];
  const foreign = Object.keys(table).find((key) => !known.includes(key));
  if (foreign === undefined) return;
  const what = {
    pinned: "a model pond knows, which brings its own",
    folder: "a folder",
    http: "an address",
  };
  refuse(
    source,
    `embeddings.${foreign}`,
    `does not go with ${what[kind]}; known here: ${known.join(", ")}`,
  );
}

function readerOf(source: ConfigSource, table: Table) {
  const pathOf = (key: string): string => `embeddings.${key}`;
  return {
    required: (key: string): string =>
      optional(table, key, (each) => stringAt(source, pathOf(key), each)) ??
      missing(source, key, "which model it serves"),
    count: (key: string, max: number): number | undefined =>
      optional(table, key, (each) => countAt(source, pathOf(key), each, max)),
    /** An empty text says that the model wants none. */
    prefix: (key: string): string | undefined =>
      optional(table, key, (each) =>
        typeof each === "string" ? each : refuse(source, pathOf(key), "must be a string"),
      ),
  };
}

function missing(source: ConfigSource, key: string, what: string): never {
  return refuse(source, "embeddings", `has a url but no ${key}: say ${what}`);
}

function poolingAt(source: ConfigSource, value: unknown): "mean" | "cls" {
  return value === "mean" || value === "cls"
    ? value
    : refuse(source, "embeddings.pooling", 'must be "mean" or "cls"');
}

function urlAt(source: ConfigSource, text: string): string {
  const path = "embeddings.url";
  const url = URL.canParse(text) ? new URL(text) : refuse(source, path, "is not an address");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    refuse(source, path, "must begin with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") {
    refuse(
      source,
      path,
      "holds a user or password: put the key into a variable, and name that in api_key_env",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    refuse(source, path, "must end with its path, such as http://127.0.0.1:11434/v1");
  }
  return text;
}

function variableAt(source: ConfigSource, value: unknown): string {
  const path = "embeddings.api_key_env";
  const name = stringAt(source, path, value);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? name
    : refuse(source, path, "must be the name of an environment variable, not the key itself");
}

/** Only what is set, because an absent option differs from an undefined one. */
function withoutUndefined<T extends object>(
  values: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
