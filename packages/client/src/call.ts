import { errorCodes, type OperationName, operations, type Responses } from "@pond/wire";
import { publicAddress } from "./address.ts";
import { readAnswer } from "./answer.ts";
import { attempt, type Call } from "./attempt.ts";
import { maxRetryAfterMs, pauseMs } from "./backoff.ts";
import { AnswerError, ConnectionError, ServerError } from "./errors.ts";
import { readTimeout, type Settings } from "./settings.ts";

/** How one call waits. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** For each try, instead of the client's own. */
  readonly timeoutMs?: number | undefined;
};

type Outcome<Name extends OperationName> =
  | { readonly response: Responses[Name] }
  | {
      /** Makes the error to throw if it was the last of so many tries. */
      readonly error: (attempts: number) => Error;
      readonly isRetryable: boolean;
      readonly retryAfterMs?: number | undefined;
    };

/**
 * Tries until there is an answer, or no hope of one. Every operation may be repeated: all but
 * ingest only read, and ingest stores nothing twice (`lance-deterministic-pk`).
 *
 * @throws {ServerError} {@link ConnectionError} {@link AnswerError}
 * @throws The signal's reason, once it is aborted.
 */
export async function call<Name extends OperationName>(
  name: Name,
  body: string,
  settings: Settings,
  { signal, timeoutMs }: CallOptions,
): Promise<Responses[Name]> {
  const request: Call = {
    url: settings.address.of(operations[name].path),
    body,
    signal,
    timeoutMs: timeoutMs === undefined ? settings.timeoutMs : readTimeout(timeoutMs),
  };
  const { clock, retries } = settings;
  for (let attempts = 1; ; attempts++) {
    const outcome = await ask(name, request, settings);
    if ("response" in outcome) return outcome.response;
    const { isRetryable, error, retryAfterMs = 0 } = outcome;
    if (!isRetryable || attempts > retries || retryAfterMs > maxRetryAfterMs) throw error(attempts);
    // The server tells everybody the same time; the pause after it sets them apart.
    await clock.sleep(retryAfterMs + pauseMs(attempts, clock), signal);
  }
}

async function ask<Name extends OperationName>(
  name: Name,
  request: Call,
  settings: Settings,
): Promise<Outcome<Name>> {
  const url = publicAddress(request.url);
  const result = await attempt(request, settings);
  if ("failure" in result) {
    const { isRetryable, cause, ...why } = result.failure;
    return {
      isRetryable,
      error: (attempts) => new ConnectionError({ url, ...why, attempts }, { cause }),
    };
  }
  const { status, retryAfterMs } = result.answer;
  try {
    return { response: await readAnswer(name, result.answer) };
  } catch (error) {
    if (error instanceof ServerError) {
      const isRetryable = errorCodes[error.code].isRetryable;
      return { isRetryable, retryAfterMs, error: () => error };
    }
    if (!(error instanceof AnswerError) || !isGatewayStatus(status)) throw error;
    const reason = `a proxy in front of the server answered ${status}`;
    return {
      isRetryable: true,
      retryAfterMs,
      error: (attempts) => new ConnectionError({ url, reason, status, attempts }, { cause: error }),
    };
  }
}

/**
 * True for a status by which a proxy says that it did not reach the server or was asked too often.
 */
function isGatewayStatus(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}
