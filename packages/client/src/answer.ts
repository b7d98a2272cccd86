import { parseJson } from "@pond/canonical";
import {
  type ErrorBody,
  errorBodySchema,
  type OperationName,
  operations,
  protocolVersion,
  type Responses,
} from "@pond/wire";
import type { Answer } from "./attempt.ts";
import { checkSchema, type Schema } from "./check-schema.ts";
import { AnswerError, ServerError } from "./errors.ts";

/**
 * Reads an answer. Fields that this version does not know stay in it, because schemas only grow
 * (spec 7.2).
 *
 * @throws {ServerError} if the server says that it failed.
 * @throws {AnswerError} if the answer does not follow this protocol.
 */
export async function readAnswer<Name extends OperationName>(
  name: Name,
  answer: Answer,
): Promise<Responses[Name]> {
  const { status, requestId } = answer;
  if (status < 200 || status > 299) {
    const error = new ServerError(await readError(answer), status, requestId);
    throw error.details["kind"] === "path_unknown" ? unknownPathError(answer, error) : error;
  }
  const schema: Schema<Responses[Name]> = operations[name].response;
  return read(schema, answer);
}

async function readError(answer: Answer): Promise<ErrorBody> {
  try {
    return await read(errorBodySchema, answer);
  } catch (cause) {
    const { status } = answer;
    const refusal = refusalOf(status);
    if (refusal === undefined) throw cause;
    const reason = `has status ${status} and is not of a pond: what stands before the server ${refusal}`;
    throw answerError(answer, { reason }, { cause });
  }
}

/** Why something that passes requests on to a server let none through; undefined if none can tell. */
function refusalOf(status: number): string | undefined {
  if (isAuthStatus(status)) return "wants other credentials (headers)";
  return status === 413 ? "takes no request this large" : undefined;
}

/** Statuses by which what asks who somebody is says that it let nobody through. */
function isAuthStatus(status: number): boolean {
  return status === 401 || status === 403 || status === 407;
}

async function read<Value>(schema: Schema<Value>, answer: Answer): Promise<Value> {
  const checked = await checkSchema(schema, parse(answer));
  if ("value" in checked) return checked.value;
  const { path, reason } = checked.mismatch;
  throw answerError(answer, { reason, ...(path !== "" && { path }) });
}

function parse(answer: Answer): unknown {
  try {
    return parseJson(answer.text);
  } catch (cause) {
    throw answerError(answer, { reason: "is not JSON: is that a pond server?" }, { cause });
  }
}

/** `not_found` would read as if the session were missing. */
function unknownPathError(answer: Answer, cause: ServerError): AnswerError {
  const reason = `is that there is no such path: a wrong address, or a server that does not speak protocol_version ${protocolVersion}`;
  return answerError(answer, { reason }, { cause });
}

function answerError(
  { url, status, requestId }: Answer,
  why: Pick<AnswerError["details"], "reason" | "path">,
  options?: ErrorOptions,
): AnswerError {
  const facts = { url, status, ...(requestId !== undefined && { requestId }) };
  return new AnswerError({ ...facts, ...why }, options);
}
