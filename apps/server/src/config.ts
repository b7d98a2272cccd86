import type { EmbedderSettings } from "@pond/embed";
import type { HandlerLimits } from "@pond/server";
import type { AllowedHosts, HttpLimitOptions } from "@pond/server/http";
import { type Environment, readEnvironment } from "./environment.ts";
import type { Policy } from "./variable.ts";
import { type Values, variables } from "./variables.ts";

/** The configuration from the environment, checked. */
export type Config = {
  /** Address or absolute folder, without a slash at its end. */
  readonly storage: string;
  readonly storageOptions: Readonly<Record<string, string>>;
  readonly host: string;
  readonly port: number;
  readonly isRemoteAllowed: boolean;
  readonly allowedHosts: AllowedHosts;
  readonly policy: Policy;
  readonly namespaceHeader: string | undefined;
  readonly trustedProxies: number;
  readonly maxOpenNamespaces: number;
  readonly cacheBytes: number;
  readonly handlerLimits: Partial<HandlerLimits>;
  readonly httpLimits: HttpLimitOptions;
  readonly embeddings: EmbedderSettings | undefined;
  readonly log: Values["POND_LOG"];
  readonly readyMs: number;
  readonly stopMs: number;
};

/** The environment asks for something that is not possible. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** One for each wrong variable: its name, its value and the values it may have. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

const bytesPerMb = 1024 * 1024;
const loopbackNames = ["127.0.0.1", "::1", "[::1]", "localhost"];

/** How many more requests may wait for their turn than run. */
const maxWaiting = { search: 256, ingest: 32 };

/**
 * Reads every `POND_*` variable.
 *
 * @throws {ConfigError} with everything that is wrong.
 */
export function readConfig(env: Environment): Config {
  const { values, problems } = readEnvironment(env);
  const all = [...problems, ...contradictions(values, env)];
  if (all.length > 0) throw new ConfigError(all);
  // If there are no problems, only variables without a default can be missing.
  return toConfig(values as Values, env);
}

/** Contradictions between variables that are each valid. */
function contradictions(values: Partial<Values>, env: Environment): string[] {
  const { POND_HOST: host = "localhost", POND_ALLOW_REMOTE: isRemoteAllowed } = values;
  const { POND_MAX_INGEST_MB: body = 0, POND_MAX_HELD_MB: held = body } = values;
  const isSet = (name: keyof Values): boolean => Boolean(env[name]);
  const found: [boolean, string][] = [
    [!isSet("POND_STORAGE"), `POND_STORAGE is not set; allowed: ${variables.POND_STORAGE.allowed}`],
    [
      isRemoteAllowed === false && !loopbackNames.includes(host.toLowerCase()),
      `POND_HOST is ${JSON.stringify(host)}, which others can reach, and pond authenticates nobody; put something in front that does and set POND_ALLOW_REMOTE to true, or leave it at 127.0.0.1`,
    ],
    [
      held < body,
      `POND_MAX_HELD_MB is "${held}"; allowed: at least POND_MAX_INGEST_MB, which is ${body}`,
    ],
    [
      isSet("POND_EMBEDDINGS_URL") && isSet("POND_EMBEDDINGS_FOLDER"),
      "POND_EMBEDDINGS_FOLDER is set beside POND_EMBEDDINGS_URL; allowed: one of them",
    ],
  ];
  for (const name of ["POND_EMBEDDINGS_MODEL", "POND_EMBEDDINGS_DIMENSION"] as const) {
    found.push(
      [
        isSet("POND_EMBEDDINGS_URL") && !isSet(name),
        `${name} is not set; POND_EMBEDDINGS_URL needs ${variables[name].allowed}`,
      ],
      [
        isSet(name) && !isSet("POND_EMBEDDINGS_URL"),
        `${name} is set; it needs POND_EMBEDDINGS_URL, which is not set`,
      ],
    );
  }
  for (const name of [
    "POND_EMBEDDINGS_API_KEY",
    "POND_EMBEDDINGS_QUERY_PREFIX",
    "POND_EMBEDDINGS_PASSAGE_PREFIX",
    "POND_EMBEDDINGS_MAX_CHARACTERS",
  ] as const) {
    found.push([
      isSet(name) && !isSet("POND_EMBEDDINGS_URL"),
      `${name} is set; it needs POND_EMBEDDINGS_URL, which is not set`,
    ]);
  }
  return found.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}

function toConfig(values: Values, env: Environment): Config {
  const { POND_MAX_PER_CLIENT: maxPerClient } = values;
  return {
    storage: values.POND_STORAGE ?? "",
    storageOptions: values.POND_STORAGE_OPTIONS,
    host: values.POND_HOST,
    port: values.POND_PORT,
    isRemoteAllowed: values.POND_ALLOW_REMOTE,
    allowedHosts: values.POND_ALLOWED_HOSTS ?? [],
    policy: values.POND_NAMESPACES,
    namespaceHeader: values.POND_NAMESPACE_HEADER,
    trustedProxies: values.POND_TRUSTED_PROXIES,
    maxOpenNamespaces: values.POND_MAX_OPEN_NAMESPACES,
    cacheBytes: values.POND_CACHE_MB * bytesPerMb,
    handlerLimits: {
      maxEvents: values.POND_MAX_EVENTS,
      maxRestoreBytes: values.POND_MAX_RESTORE_MB * bytesPerMb,
    },
    httpLimits: {
      maxIngestBytes: values.POND_MAX_INGEST_MB * bytesPerMb,
      maxHeldBytes: values.POND_MAX_HELD_MB * bytesPerMb,
      maxConnections: values.POND_MAX_CONNECTIONS,
      ...(maxPerClient !== undefined && { maxPerClient }),
      answerTimeoutMs: values.POND_ANSWER_SECONDS * 1000,
      concurrency: {
        search: { running: values.POND_MAX_SEARCHES, waiting: maxWaiting.search },
        ingest: { running: values.POND_MAX_INGESTS, waiting: maxWaiting.ingest },
      },
    },
    embeddings: toEmbeddings(values, env),
    log: values.POND_LOG,
    readyMs: values.POND_READY_SECONDS * 1000,
    stopMs: values.POND_STOP_SECONDS * 1000,
  };
}

function toEmbeddings(values: Values, env: Environment): EmbedderSettings | undefined {
  const { POND_EMBEDDINGS_FOLDER: folder, POND_EMBEDDINGS_URL: url } = values;
  if (folder !== undefined) return { kind: "folder", folder };
  const { POND_EMBEDDINGS_MODEL: model, POND_EMBEDDINGS_DIMENSION: dimension } = values;
  if (url === undefined || model === undefined || dimension === undefined) return undefined;
  const {
    POND_EMBEDDINGS_API_KEY: apiKey,
    POND_EMBEDDINGS_QUERY_PREFIX: queryPrefix,
    POND_EMBEDDINGS_PASSAGE_PREFIX: passagePrefix,
    POND_EMBEDDINGS_MAX_CHARACTERS: maxCharacters,
  } = values;
  return {
    ...{ kind: "http", url, model, dimension, env },
    ...(apiKey !== undefined && { apiKey }),
    ...(queryPrefix !== undefined && { queryPrefix }),
    ...(passagePrefix !== undefined && { passagePrefix }),
    ...(maxCharacters !== undefined && { maxCharacters }),
  };
}
