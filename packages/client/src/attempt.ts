import { publicAddress } from "./address.ts";
import { retryAfterMs } from "./backoff.ts";
import { startDeadline } from "./deadline.ts";
import { AnswerError } from "./errors.ts";
import { readBody } from "./read-body.ts";
import type { Settings } from "./settings.ts";

/** A request that can be sent any number of times. */
export type Call = {
  readonly url: URL;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
};

/** A response, read whole. */
export type Answer = {
  readonly url: string;
  readonly status: number;
  readonly requestId?: string;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
};

/** The reason why there is no response. */
export type ConnectionFailure = {
  readonly reason: string;
  readonly isTimeout?: true;
  /** True if another try may succeed. */
  readonly isRetryable: boolean;
  readonly cause: unknown;
};

/**
 * Sends the request once.
 *
 * @throws {AnswerError} if the answer is too long, not text, or a redirect.
 * @throws The caller's reason, if the caller aborted.
 */
export async function attempt(
  call: Call,
  settings: Settings,
): Promise<{ readonly answer: Answer } | { readonly failure: ConnectionFailure }> {
  call.signal?.throwIfAborted();
  const deadline = startDeadline(call.timeoutMs, call.signal);
  try {
    const { url, body } = call;
    const { signal } = deadline;
    const { fetch, headers } = settings;
    // A redirect may lead to somebody who is not meant to see the request.
    const response = await deadline.within(
      fetch(url, { method: "POST", headers, body, redirect: "manual", signal }),
    );
    return { answer: await deadline.within(read(response, call, settings)) };
  } catch (error) {
    if (error instanceof AnswerError) throw error;
    if (deadline.isTimeout()) {
      const reason = `no answer within ${call.timeoutMs} ms`;
      return { failure: { reason, isTimeout: true, isRetryable: false, cause: error } };
    }
    call.signal?.throwIfAborted();
    return { failure: connectionFailure(error) };
  } finally {
    deadline.clear();
  }
}

async function read(response: Response, call: Call, settings: Settings): Promise<Answer> {
  const { status, headers, type } = response;
  const requestId = headers.get("x-pond-request-id");
  const facts = {
    url: publicAddress(call.url),
    status,
    ...(requestId !== null && { requestId }),
  };
  const body = await readBody(response, settings.maxAnswerBytes);
  // Browsers show nothing more of a redirect.
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    throw new AnswerError({ ...facts, reason: "is a redirect, which is not followed" });
  }
  if ("reason" in body) throw new AnswerError({ ...facts, reason: body.reason });
  const wait = retryAfterMs(headers.get("retry-after"), settings.clock);
  return { ...facts, text: body.text, retryAfterMs: wait };
}

// No such host; a certificate that is not trusted; no TLS, or another one, at that port.
const finalCodes = /ENOTFOUND|INVALID|CERT|SELF_SIGNED|LEAF_SIGNATURE|TLS|WRONG_VERSION/;

function connectionFailure(error: unknown): ConnectionFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // That of an answer that is no HTTP has the field, and nothing in it.
  const given = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const code = given === undefined ? undefined : String(given);
  const isFinal = code !== undefined && finalCodes.test(code);
  const words = code === "ECONNREFUSED" ? "nothing listens there" : "the connection failed";
  const reason = code === undefined ? words : `${words} (${code})`;
  return { reason, isRetryable: !isFinal, cause: error };
}
