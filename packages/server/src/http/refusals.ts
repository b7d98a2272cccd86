import { WireError } from "@pond/wire";

const refusalKinds = [
  "body_not_utf8",
  "body_not_json",
  "body_too_deep",
  "body_too_large",
  "body_too_many_objects",
  "body_too_slow",
  "content_encoding_unsupported",
  "content_type_unsupported",
  "headers_too_large",
  "headers_too_slow",
  "host_not_allowed",
  "http_malformed",
  "method_not_allowed",
  "origin_not_allowed",
] as const;

/** Why a request was refused before a handler saw it: `details.kind`, which programs may read. */
export type RefusalKind = (typeof refusalKinds)[number];

const busyMessages = {
  answers_held: "too many answers are still unread; ask again",
  bodies_held: "too many bytes are being sent at once; ask again",
  client_busy: "too many of your requests are under way; ask again when one is answered",
  client_gone: "the client has disconnected",
  not_ready: "the store cannot be reached now",
  queue_full: "too many requests of this kind are waiting; ask again",
  stopping: "the server is stopping; ask again",
  timeout: "there was no answer in time; ask again",
} as const;

/** Why there is no answer now, although there may be one later. */
export type BusyKind = keyof typeof busyMessages;

const unknownPath = "path_unknown";

/** Every `details.kind` that only HTTP has. */
export const httpKinds: readonly string[] = [
  ...refusalKinds,
  ...Object.keys(busyMessages),
  unknownPath,
];

/** The error for a request that would be refused again. */
export function refused(
  kind: RefusalKind,
  message: string,
  details: Readonly<Record<string, string | number>> = {},
): WireError {
  return new WireError("validation_failed", message, { kind, ...details });
}

/** The error for a request that may well be answered the next time. */
export function busy(kind: BusyKind, options?: ErrorOptions): WireError {
  return new WireError("storage_unavailable", busyMessages[kind], { kind }, options);
}

export function badContentType(): WireError {
  return refused("content_type_unsupported", "the body must be application/json in UTF-8");
}

/** The error for an unknown path. The path is not repeated, because it may hold anything. */
export function unknownPathError(): WireError {
  return new WireError("not_found", "there is nothing at this path; see /openapi.json", {
    kind: unknownPath,
  });
}
