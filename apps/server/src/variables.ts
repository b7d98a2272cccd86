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

/** The value of every variable; optional where nothing stands in for one that is not set. */
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
  readonly POND_EMBEDDINGS_FOLDER?: string;
  readonly POND_LOG: "info" | "error" | "silent";
};

/** Every variable there is. The help and the table in the README are made from this. */
export const variables: { readonly [Name in keyof Values]-?: Variable<NonNullable<Values[Name]>> } =
  {
    POND_STORAGE: {
      about: "where the tenants are stored, each below a prefix of its name; required",
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
        "endpoint and credentials as Lance names them, besides those in AWS_*, AZURE_*, GOOGLE_*",
      allowed: "a JSON object of texts",
      fallback: "{}",
      isSecret: true,
      schema: storageOptions,
    },
    POND_HOST: {
      about: "address to listen at",
      allowed: "a host name or an IP address",
      fallback: "127.0.0.1",
      schema: v.pipe(v.string(), v.check(isHost)),
    },
    POND_PORT: {
      about: "port to listen at; 0 takes a free one",
      fallback: "9797",
      ...whole(0, 65_535),
    },
    POND_ALLOW_REMOTE: {
      about: "listen where others reach it, with something in front that asks who they are",
      fallback: "false",
      ...yesOrNo,
    },
    POND_ALLOWED_HOSTS: {
      about: "names it may be called by besides its own; any where what is in front checks them",
      allowed: "host names without a port, parted by commas, or any",
      schema: hosts,
    },
    POND_NAMESPACES: {
      about: "which tenants there are: those stored already, any that somebody ingests, or these",
      allowed:
        "deny, on-first-ingest or fixed:NAME,NAME, where a name is up to 64 of a-z, 0-9, - and _",
      fallback: "deny",
      schema: policy,
    },
    POND_NAMESPACE_HEADER: {
      about: "header in which what is in front says the tenant; every request needs it then",
      allowed: "a header name in lower case, such as x-pond-namespace",
      schema: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/)),
    },
    POND_MAX_OPEN_NAMESPACES: {
      about: "tenants kept open; those idle for longest are closed",
      fallback: "64",
      ...whole(1, 10_000),
    },
    POND_CACHE_MB: {
      about: "memory for indexes and metadata, shared by all tenants",
      fallback: "384",
      ...whole(3, 1_048_576),
    },
    POND_MAX_EVENTS: {
      about: "events of one ingest",
      fallback: "10000",
      ...whole(1, 1_000_000),
    },
    POND_MAX_INGEST_MB: {
      about: "body of one ingest",
      fallback: "16",
      ...whole(1, 256),
    },
    POND_MAX_HELD_MB: {
      about: "bodies held at one time, whoever sent them",
      fallback: "128",
      ...whole(1, 65_536),
    },
    POND_MAX_RESTORE_MB: {
      about: "files of one restore",
      fallback: "64",
      ...whole(1, 1_024),
    },
    POND_MAX_CONNECTIONS: {
      about: "connections at one time",
      fallback: "1024",
      ...whole(1, 65_536),
    },
    POND_MAX_PER_CLIENT: {
      about: "requests of one client that run and wait; without a trusted proxy all of one are one",
      ...whole(1, 65_536),
    },
    POND_TRUSTED_PROXIES: {
      about:
        "how many proxies in front add to X-Forwarded-For, by which clients are told apart then",
      fallback: "0",
      ...whole(0, 16),
    },
    POND_MAX_SEARCHES: {
      about: "searches that run at one time; more wait",
      fallback: "4",
      ...whole(1, 1_024),
    },
    POND_MAX_INGESTS: {
      about: "ingests that run at one time; more wait",
      fallback: "8",
      ...whole(1, 1_024),
    },
    POND_ANSWER_SECONDS: {
      about: "time for an answer, the wait for its turn included",
      fallback: "120",
      ...whole(1, 3_600),
    },
    POND_READY_SECONDS: {
      about: "time the storage has to answer /readyz",
      fallback: "5",
      ...whole(1, 60),
    },
    POND_STOP_SECONDS: {
      about: "time to finish what is asked when told to stop",
      fallback: "10",
      ...whole(0, 3_600),
    },
    POND_EMBEDDINGS_URL: {
      about:
        "OpenAI-compatible service that searches by meaning ask for vectors, at /embeddings below it",
      allowed: "an http or https address, such as https://host/v1, without credentials or a query",
      schema: v.pipe(v.string(), v.check(isEndpoint)),
    },
    POND_EMBEDDINGS_MODEL: {
      about: "its model",
      allowed: "the name of a model",
      schema: text,
    },
    POND_EMBEDDINGS_DIMENSION: {
      about: "length of its vectors",
      ...whole(1, 65_536),
    },
    POND_EMBEDDINGS_API_KEY: {
      about: "sent to it as a bearer token",
      allowed: "a key",
      isSecret: true,
      schema: text,
    },
    POND_EMBEDDINGS_FOLDER: {
      about: "folder of an ONNX model instead; needs onnxruntime-node",
      allowed: "an absolute folder",
      schema: v.pipe(v.string(), v.check(isAbsolute)),
    },
    POND_LOG: {
      about: "what is logged: every request, failures alone, or nothing",
      allowed: "info, error or silent",
      fallback: "info",
      schema: v.picklist(["info", "error", "silent"]),
    },
  };
