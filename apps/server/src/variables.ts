import { isAbsolute } from "node:path";
import * as v from "valibot";
import {
  hosts,
  isEndpoint,
  isHost,
  isStorage,
  type Policy,
  policy,
  storageOptions,
  text,
  type Variable,
  whole,
  yesOrNo,
} from "./variable.ts";

/** The value of every variable. Optional if nothing replaces one that is not set. */
export type Values = {
  readonly POND_STORAGE?: string;
  readonly POND_STORAGE_OPTIONS: Readonly<Record<string, string>>;
  readonly POND_HOST: string;
  readonly POND_PORT: number;
  readonly POND_ALLOW_REMOTE: boolean;
  readonly POND_ALLOWED_HOSTS?: readonly string[] | "any";
  readonly POND_NAMESPACES: Policy;
  readonly POND_NAMESPACE_HEADER?: string;
  readonly POND_MAX_OPEN_NAMESPACES: number;
  readonly POND_CACHE_MB: number;
  readonly POND_MAX_EVENTS: number;
  readonly POND_MAX_INGEST_MB: number;
  readonly POND_MAX_HELD_MB: number;
  readonly POND_MAX_RESTORE_MB: number;
  readonly POND_MAX_CONNECTIONS: number;
  readonly POND_MAX_PER_CLIENT?: number;
  readonly POND_TRUSTED_PROXIES: number;
  readonly POND_MAX_SEARCHES: number;
  readonly POND_MAX_INGESTS: number;
  readonly POND_ANSWER_SECONDS: number;
  readonly POND_READY_SECONDS: number;
  readonly POND_STOP_SECONDS: number;
  readonly POND_EMBEDDINGS_URL?: string;
  readonly POND_EMBEDDINGS_MODEL?: string;
  readonly POND_EMBEDDINGS_DIMENSION?: number;
  readonly POND_EMBEDDINGS_API_KEY?: string;
  readonly POND_EMBEDDINGS_QUERY_PREFIX?: string;
  readonly POND_EMBEDDINGS_PASSAGE_PREFIX?: string;
  readonly POND_EMBEDDINGS_MAX_CHARACTERS?: number;
  readonly POND_EMBEDDINGS_FOLDER?: string;
  readonly POND_LOG: "info" | "error" | "silent";
};

/** Every variable. The help and the table in the README are made from this list. */
export const variables: { readonly [Name in keyof Values]-?: Variable<NonNullable<Values[Name]>> } =
  {
    POND_STORAGE: {
      about: "where tenants are stored, each below a prefix with its name; required",
      allowed:
        "s3://BUCKET/PREFIX, az://CONTAINER/PREFIX, gs://BUCKET/PREFIX or an absolute folder, without credentials",
      schema: v.pipe(
        v.string(),
        v.check(isStorage),
        v.transform((location) => location.replace(/(?<=[^/])\/+$/, "")),
      ),
    },
    POND_STORAGE_OPTIONS: {
      about:
        "endpoint and credentials by the names of Lance, besides those in AWS_*, AZURE_*, GOOGLE_*",
      allowed: "a JSON object of strings",
      fallback: "{}",
      isSecret: true,
      schema: storageOptions,
    },
    POND_HOST: {
      about: "address to listen on",
      allowed: "a host name or an IP address",
      fallback: "127.0.0.1",
      schema: v.pipe(v.string(), v.check(isHost)),
    },
    POND_PORT: {
      about: "port to listen on; 0 takes a free one",
      fallback: "9797",
      ...whole(0, 65_535),
    },
    POND_ALLOW_REMOTE: {
      about: "listen beyond this machine, with something in front that authenticates",
      fallback: "false",
      ...yesOrNo,
    },
    POND_ALLOWED_HOSTS: {
      about: "host names of requests, besides its own; any if what is in front checks them",
      allowed: "host names without a port, separated by commas, or any",
      schema: hosts,
    },
    POND_NAMESPACES: {
      about: "which tenants exist: only stored ones, any that somebody ingests, or only these",
      allowed:
        "deny, on-first-ingest or fixed:NAME,NAME, where a name is up to 64 of a-z, 0-9, - and _",
      fallback: "deny",
      schema: policy,
    },
    POND_NAMESPACE_HEADER: {
      about: "header in which what is in front names the tenant; if set, every request needs it",
      allowed: "a header name in lower case, such as x-pond-namespace",
      schema: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/)),
    },
    POND_MAX_OPEN_NAMESPACES: {
      about: "most tenants open at one time; the longest idle are closed",
      fallback: "64",
      ...whole(1, 10_000),
    },
    POND_CACHE_MB: {
      about: "memory for indexes and metadata, shared by all tenants",
      fallback: "384",
      ...whole(3, 1_048_576),
    },
    POND_MAX_EVENTS: {
      about: "most events in one ingest",
      fallback: "10000",
      ...whole(1, 1_000_000),
    },
    POND_MAX_INGEST_MB: {
      about: "largest body of one ingest",
      fallback: "16",
      ...whole(1, 256),
    },
    POND_MAX_HELD_MB: {
      about: "most bodies held at one time, of all clients together",
      fallback: "128",
      ...whole(1, 65_536),
    },
    POND_MAX_RESTORE_MB: {
      about: "most files of one restore, together",
      fallback: "64",
      ...whole(1, 1_024),
    },
    POND_MAX_CONNECTIONS: {
      about: "most connections at one time",
      fallback: "1024",
      ...whole(1, 65_536),
    },
    POND_MAX_PER_CLIENT: {
      about:
        "most requests of one client, running or waiting; all behind an untrusted proxy are one client",
      ...whole(1, 65_536),
    },
    POND_TRUSTED_PROXIES: {
      about: "how many proxies in front add to X-Forwarded-For, which then tells clients apart",
      fallback: "0",
      ...whole(0, 16),
    },
    POND_MAX_SEARCHES: {
      about: "most searches that run at one time; more wait",
      fallback: "4",
      ...whole(1, 1_024),
    },
    POND_MAX_INGESTS: {
      about: "most ingests that run at one time; more wait",
      fallback: "8",
      ...whole(1, 1_024),
    },
    POND_ANSWER_SECONDS: {
      about: "time limit of an answer, including the wait for its turn",
      fallback: "120",
      ...whole(1, 3_600),
    },
    POND_READY_SECONDS: {
      about: "time limit of the storage when /readyz asks it",
      fallback: "5",
      ...whole(1, 60),
    },
    POND_STOP_SECONDS: {
      about: "time to finish running requests when told to stop",
      fallback: "10",
      ...whole(0, 3_600),
    },
    POND_EMBEDDINGS_URL: {
      about:
        "OpenAI-compatible service that searches by meaning get vectors from, at /embeddings below it",
      allowed: "an http or https address, such as https://host/v1, without credentials or a query",
      schema: v.pipe(v.string(), v.check(isEndpoint)),
    },
    POND_EMBEDDINGS_MODEL: {
      about: "model of that service",
      allowed: "the name of a model",
      schema: text,
    },
    POND_EMBEDDINGS_DIMENSION: {
      about: "length of that model's vectors",
      ...whole(1, 65_536),
    },
    POND_EMBEDDINGS_API_KEY: {
      about: "key for that service, sent as a bearer token",
      allowed: "a key",
      isSecret: true,
      schema: text,
    },
    POND_EMBEDDINGS_QUERY_PREFIX: {
      about: "what that model expects before a query, as in the configuration of pond sync",
      allowed: "a text, with the space at its end",
      schema: text,
    },
    POND_EMBEDDINGS_PASSAGE_PREFIX: {
      about:
        "what it expects before a message: vectors that pond sync made with another are not used",
      allowed: "a text, with the space at its end",
      schema: text,
    },
    POND_EMBEDDINGS_MAX_CHARACTERS: {
      about: "the length at which pond sync cuts a message, if max_characters sets it there",
      ...whole(1, 1_000_000),
    },
    POND_EMBEDDINGS_FOLDER: {
      about: "folder of an ONNX model, instead of a service; needs onnxruntime-node",
      allowed: "an absolute folder",
      schema: v.pipe(v.string(), v.check(isAbsolute)),
    },
    POND_LOG: {
      about: "what is logged: every request, only failures, or nothing",
      allowed: "info, error or silent",
      fallback: "info",
      schema: v.picklist(["info", "error", "silent"]),
    },
  };
