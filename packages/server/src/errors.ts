import { isJsonObject, type JsonObject, PondError, parseJson } from "@pond/canonical";
import { type ErrorCode, WireError } from "@pond/wire";

/**
 * The wire code of a package's error code, and the message to use if the error's own would tell too
 * much.
 */
type Mapping = { readonly code: ErrorCode; readonly message?: string };

// Errors of storage name buckets and folders, which are no business of a tenant.
export const mappings: Readonly<Record<string, Mapping>> = {
  validation_failed: { code: "validation_failed" },
  not_found: { code: "not_found" },
  conflict: { code: "conflict" },
  storage_unavailable: {
    code: "storage_unavailable",
    message: "the store does not answer; try again",
  },
  store_not_found: { code: "not_found", message: "nothing is stored here yet" },
  store_schema: { code: "internal", message: "the store was written by a later version of pond" },
  "store_schema.unmade": {
    code: "storage_unavailable",
    message: "the store is not complete yet; storing something completes it",
  },
  "store_schema.lost": {
    code: "internal",
    message: "the store is damaged: one of its tables is lost",
  },
  // Errors of the configured model. The operator reads them in the status.
  config_invalid: { code: "validation_failed" },
  model_not_found: { code: "not_found" },
  model_incomplete: { code: "internal" },
  model_invalid: { code: "internal" },
  runtime_missing: { code: "internal" },
  download_failed: { code: "internal" },
  embedding_failed: { code: "internal" },
  unsafe_path: { code: "internal" },
};

/**
 * Converts any error to one of the closed set (spec 7.4). An error that pond throws on purpose
 * keeps its message. For any other, only the request id is told, because nobody has looked at what
 * it holds. The error itself is the `cause`, for the log.
 */
export function toWireError(error: unknown, requestId?: string): WireError {
  if (error instanceof WireError) return error;
  const ids: JsonObject = requestId === undefined ? {} : { request_id: requestId };
  const mapping = PondError.is(error) ? mappingOf(error) : undefined;
  if (!PondError.is(error) || mapping === undefined) {
    const kind: JsonObject = PondError.is(error) ? { kind: error.code } : {};
    const details = { ...kind, ...ids };
    return new WireError("internal", "the server failed; its log says why", details, {
      cause: error,
    });
  }
  const { code, message } = mapping;
  const kind: JsonObject = code === error.code ? {} : { kind: mapping.kind };
  const own = message === undefined ? toJson(error.details) : {};
  const trace = code === "internal" ? ids : {};
  return new WireError(
    code,
    message ?? error.message,
    { ...own, ...kind, ...trace },
    { cause: error },
  );
}

/**
 * True if the caller gave up waiting: that is no failure of the server, and nobody is there to be
 * told.
 */
export function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true || (error instanceof Error && error.name === "AbortError");
}

/**
 * The mapping of the code together with its problem, if there is one; otherwise that of the code
 * alone.
 */
function mappingOf({ code, details }: PondError): (Mapping & { kind: string }) | undefined {
  for (const kind of [`${code}.${details["problem"]}`, code]) {
    const mapping = Object.hasOwn(mappings, kind) ? mappings[kind] : undefined;
    if (mapping !== undefined) return { ...mapping, kind };
  }
  return undefined;
}

/** Renames the fields to the names used on the wire. */
function toJson(details: Readonly<Record<string, unknown>>): JsonObject {
  const value = parseJson(JSON.stringify(details));
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeCase(name), each]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
