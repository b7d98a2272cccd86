import { type JsonObject, PondError } from "@pond/canonical";
import * as v from "valibot";
import { jsonObjectSchema } from "./json.ts";

/** The HTTP status of an error code, and whether asking again may help. */
export type ErrorFacts = { readonly httpStatus: number; readonly isRetryable: boolean };

/** The error codes of spec 7.4. */
export type ErrorCode =
  | "validation_failed"
  | "version_unsupported"
  | "not_found"
  | "namespace_unknown"
  | "storage_unavailable"
  | "conflict"
  | "internal";

/** Every error code (spec 7.4). The set is closed: the meaning of a code never changes. */
export const errorCodes: Readonly<Record<ErrorCode, ErrorFacts>> = {
  validation_failed: { httpStatus: 400, isRetryable: false },
  version_unsupported: { httpStatus: 400, isRetryable: false },
  not_found: { httpStatus: 404, isRetryable: false },
  namespace_unknown: { httpStatus: 403, isRetryable: false },
  storage_unavailable: { httpStatus: 503, isRetryable: true },
  conflict: { httpStatus: 409, isRetryable: true },
  internal: { httpStatus: 500, isRetryable: false },
};

/** The one shape of an error. A body holds an error or an answer, never both. */
export type ErrorBody = {
  readonly error: {
    readonly code: ErrorCode;
    /** For people. */
    readonly message: string;
    /** Facts for programs. `details.kind` tells apart the errors that share a code. */
    readonly details: JsonObject;
  };
};

/** True for one of the error codes. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** A failed request, as its sender is told about it. */
export class WireError extends PondError {
  override readonly name = "WireError";
  readonly code: ErrorCode;
  readonly details: JsonObject;

  constructor(code: ErrorCode, message: string, details: JsonObject = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  /** The part of the error that is sent: neither cause nor stack. */
  toBody(): ErrorBody {
    const { code, message, details } = this;
    return { error: { code, message, details } };
  }
}

export const errorSchema: v.GenericSchema<unknown, ErrorBody["error"]> = v.object({
  code: v.picklist(Object.keys(errorCodes).filter(isErrorCode)),
  message: v.string(),
  details: jsonObjectSchema,
});

/** Checks the body of an error. */
export const errorBodySchema: v.GenericSchema<unknown, ErrorBody> = v.object({
  error: errorSchema,
});
