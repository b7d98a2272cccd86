import { expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";
import { type Environment, secretsIn } from "./environment.ts";

const storage = "/var/lib/pond";

function problemsOf(env: Environment): readonly string[] {
  try {
    readConfig({ POND_STORAGE: storage, ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test("POND_STORAGE alone is enough, and everything else has a default", () => {
  const config = readConfig({ POND_STORAGE: "s3://bucket/tenants/", HOME: "/root" });

  expect(config).toMatchObject({
    storage: "s3://bucket/tenants",
    storageOptions: {},
    host: "127.0.0.1",
    port: 9797,
    isRemoteAllowed: false,
    policy: { kind: "deny" },
    namespaceHeader: undefined,
    maxOpenNamespaces: 64,
    cacheBytes: 384 * 1024 * 1024,
    embeddings: undefined,
    log: "info",
    stopMs: 10_000,
  });
});

test("every variable sets its field of the configuration", () => {
  const config = readConfig({
    POND_STORAGE: "az://container/a/b",
    POND_STORAGE_OPTIONS: '{"account_name":"a"}',
    POND_HOST: "0.0.0.0",
    POND_PORT: "0",
    POND_ALLOW_REMOTE: "true",
    POND_ALLOWED_HOSTS: "pond.example.org, pond",
    POND_NAMESPACES: "fixed:red, blue",
    POND_NAMESPACE_HEADER: "x-pond-namespace",
    POND_MAX_OPEN_NAMESPACES: "2",
    POND_CACHE_MB: "30",
    POND_MAX_EVENTS: "1",
    POND_MAX_INGEST_MB: "2",
    POND_MAX_HELD_MB: "4",
    POND_MAX_RESTORE_MB: "5",
    POND_MAX_CONNECTIONS: "6",
    POND_MAX_PER_CLIENT: "13",
    POND_TRUSTED_PROXIES: "1",
    POND_MAX_SEARCHES: "7",
    POND_MAX_INGESTS: "8",
    POND_ANSWER_SECONDS: "9",
    POND_READY_SECONDS: "10",
    POND_STOP_SECONDS: "11",
    POND_EMBEDDINGS_URL: "http://127.0.0.1:11434/v1",
    POND_EMBEDDINGS_MODEL: "m",
    POND_EMBEDDINGS_DIMENSION: "12",
    POND_EMBEDDINGS_API_KEY: "secret-key",
    POND_EMBEDDINGS_QUERY_PREFIX: "query: ",
    POND_EMBEDDINGS_PASSAGE_PREFIX: "passage: ",
    POND_EMBEDDINGS_MAX_CHARACTERS: "14",
    POND_LOG: "silent",
  });

  expect(config).toEqual({
    storage: "az://container/a/b",
    storageOptions: { account_name: "a" },
    host: "0.0.0.0",
    port: 0,
    isRemoteAllowed: true,
    allowedHosts: ["pond.example.org", "pond"],
    policy: { kind: "fixed", names: ["red", "blue"] },
    namespaceHeader: "x-pond-namespace",
    trustedProxies: 1,
    maxOpenNamespaces: 2,
    cacheBytes: 30 * 1024 * 1024,
    handlerLimits: { maxEvents: 1, maxRestoreBytes: 5 * 1024 * 1024 },
    httpLimits: {
      maxIngestBytes: 2 * 1024 * 1024,
      maxHeldBytes: 4 * 1024 * 1024,
      maxConnections: 6,
      maxPerClient: 13,
      answerTimeoutMs: 9_000,
      concurrency: { search: { running: 7, waiting: 256 }, ingest: { running: 8, waiting: 32 } },
    },
    embeddings: {
      kind: "http",
      url: "http://127.0.0.1:11434/v1",
      model: "m",
      dimension: 12,
      apiKey: "secret-key",
      queryPrefix: "query: ",
      passagePrefix: "passage: ",
      maxCharacters: 14,
      env: expect.anything(),
    },
    log: "silent",
    readyMs: 10_000,
    stopMs: 11_000,
  });
});

test.each([
  ["POND_STORAGE", "", "is not set"],
  ["POND_STORAGE", "/tenants\n", 'is "/tenants\\n"; allowed: s3://BUCKET/PREFIX'],
  ["POND_STORAGE", "./tenants", 'is "./tenants"; allowed: s3://BUCKET/PREFIX'],
  ["POND_STORAGE", "http://host/bucket", 'is "http://host/bucket"; allowed'],
  ["POND_STORAGE", "s3://", 'is "s3://"; allowed'],
  ["POND_STORAGE", "s3://user:pass@bucket/a", 'is "s3://…@bucket/a"; allowed'],
  ["POND_STORAGE", "s3://user:se/cr@et@bucket/a", 'is "s3://…@bucket/a"; allowed'],
  ["POND_STORAGE", `s3://user:${"p".repeat(200)}@bucket/a`, 'is "s3://…@bucket/a"; allowed'],
  ["POND_STORAGE", "s3://bucket/a?b=c\ntoken=t", 'is "s3://bucket/a?…"; allowed'],
  ["POND_STORAGE", "s3://bucket/a?token=t", 'is "s3://bucket/a?…"; allowed'],
  ["POND_STORAGE_OPTIONS", "{", "is something that is not shown here; allowed: a JSON object"],
  ["POND_STORAGE_OPTIONS", '{"port":1}', "is something that is not shown here"],
  ["POND_STORAGE_OPTIONS", "[]", "is something that is not shown here"],
  ["POND_HOST", "a b", 'is "a b"; allowed: a host name'],
  ["POND_HOST", "0.0.0.0", 'is "0.0.0.0", which others can reach'],
  ["POND_HOST", "::", 'is "::", which others can reach'],
  ["POND_PORT", "65536", 'is "65536"; allowed: a whole number from 0 to 65535'],
  ["POND_PORT", "tcp://10.0.0.1:80", 'is "tcp://10.0.0.1:80"; allowed'],
  ["POND_PORT", "0x10", 'is "0x10"; allowed'],
  ["POND_PORT", " 80", 'is " 80"; allowed'],
  ["POND_ALLOW_REMOTE", "yes", 'is "yes"; allowed: true or false'],
  ["POND_ALLOWED_HOSTS", "https://a", 'is "https://a"; allowed: host names'],
  ["POND_ALLOWED_HOSTS", "a,,b", 'is "a,,b"; allowed: host names'],
  ["POND_NAMESPACES", "all", 'is "all"; allowed: deny, on-first-ingest or fixed:NAME'],
  ["POND_NAMESPACES", "fixed:", 'is "fixed:"; allowed'],
  ["POND_NAMESPACES", "fixed:red,../blue", 'is "fixed:red,../blue"; allowed'],
  ["POND_NAMESPACES", "fixed:Red", 'is "fixed:Red"; allowed'],
  ["POND_NAMESPACES", "fixed:__proto__", 'is "fixed:__proto__"; allowed'],
  ["POND_NAMESPACE_HEADER", "X-Pond", 'is "X-Pond"; allowed: a header name in lower case'],
  ["POND_MAX_OPEN_NAMESPACES", "0", 'is "0"; allowed: a whole number from 1'],
  ["POND_CACHE_MB", "2", 'is "2"; allowed: a whole number from 3'],
  ["POND_CACHE_MB", "1e3", 'is "1e3"; allowed'],
  ["POND_MAX_EVENTS", "-1", 'is "-1"; allowed'],
  ["POND_MAX_HELD_MB", "1", 'is "1"; allowed: at least POND_MAX_INGEST_MB, which is 16'],
  ["POND_STOP_SECONDS", "1.5", 'is "1.5"; allowed'],
  ["POND_EMBEDDINGS_URL", "ftp://a", 'is "ftp://a"; allowed: an http or https address'],
  ["POND_EMBEDDINGS_URL", "http://u:p@a/v1", 'is "http://…@a/v1"; allowed'],
  ["POND_EMBEDDINGS_MODEL", "m", "is set; it needs POND_EMBEDDINGS_URL"],
  ["POND_EMBEDDINGS_DIMENSION", "3", "is set; it needs POND_EMBEDDINGS_URL"],
  ["POND_EMBEDDINGS_API_KEY", "k", "is set; it needs POND_EMBEDDINGS_URL"],
  ["POND_EMBEDDINGS_QUERY_PREFIX", "q", "is set; it needs POND_EMBEDDINGS_URL"],
  ["POND_EMBEDDINGS_PASSAGE_PREFIX", "p", "is set; it needs POND_EMBEDDINGS_URL"],
  ["POND_EMBEDDINGS_MAX_CHARACTERS", "9", "is set; it needs POND_EMBEDDINGS_URL"],
  ["POND_EMBEDDINGS_FOLDER", "model", 'is "model"; allowed: an absolute folder'],
  ["POND_LOG", "debug", 'is "debug"; allowed: info, error or silent'],
  ["POND_PROT", "1", "is not a variable of pond-server"],
  ["POND___PROTO__", "1", "is not a variable of pond-server"],
])("%s=%s is refused by name", (name, value, problem) => {
  const problems = problemsOf({ [name]: value });

  expect(problems).toContainEqual(expect.stringContaining(`${name} ${problem}`));
});

test("all problems of the environment are reported at once", () => {
  const problems = problemsOf({
    POND_STORAGE: "",
    POND_PORT: "x",
    POND_TYPO: "1",
    POND_EMBEDDINGS_URL: "http://a/v1",
    POND_EMBEDDINGS_FOLDER: "/model",
  });

  expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
    "POND_TYPO",
    "POND_PORT",
    "POND_STORAGE",
    "POND_EMBEDDINGS_FOLDER",
    "POND_EMBEDDINGS_MODEL",
    "POND_EMBEDDINGS_DIMENSION",
  ]);
});

test("no reported problem repeats a secret", () => {
  const secret = "hunter2hunter2";

  const problems = problemsOf({
    POND_STORAGE: `s3://key:${secret}@bucket`,
    POND_STORAGE_OPTIONS: `{"aws_secret_access_key":"${secret}"`,
    POND_EMBEDDINGS_APIKEY: secret,
    POND_EMBEDDINGS_URL: `http://a/v1?key=${secret}`,
  });

  expect(problems).toHaveLength(6);
  expect(problems.join("\n")).not.toContain(secret);
});

test("secrets are recognised by the names of their variables", () => {
  const secrets = secretsIn({
    AWS_SECRET_ACCESS_KEY: "aws-secret-value",
    AWS_SESSION_TOKEN: "aws-session-value",
    AWS_REGION: "eu-central-1",
    AZURE_STORAGE_CONNECTION_STRING: "azure-connection",
    POND_EMBEDDINGS_API_KEY: "embedding-key-value",
    POND_STORAGE_OPTIONS: '{"account_key":"azure-account-key","account_name":"azure-account"}',
    HISTORY_KEY: "not-ours-at-all",
    GOOGLE_API_KEY: "short",
  });

  expect(secrets).toEqual([
    "aws-secret-value",
    "aws-session-value",
    "azure-connection",
    "embedding-key-value",
    "azure-account-key",
  ]);
});
