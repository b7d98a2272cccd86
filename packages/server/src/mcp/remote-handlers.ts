import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "@pond/canonical";
import { isErrorCode, operations, type Responses, WireError } from "@pond/wire";
import type { Handlers } from "../handlers.ts";

/** The server could not be reached, or went away before it had answered. Nothing was changed. */
export class ServerGoneError extends Error {
  override readonly name = "ServerGoneError";
}

/**
 * Handlers that ask a server on this machine, so that a process beside it need not open the store,
 * nor load a model.
 *
 * @param url - Of the server, as it says itself.
 */
export function createRemoteHandlers(url: string): Handlers {
  return {
    async handle(operation, request, { signal } = {}) {
      const { path } = operations[operation];
      const answer = await post(`${url}${path}`, request, signal);
      // What the server of the same version answers is what its own handlers answered.
      return answer as unknown as Responses[typeof operation];
    },
  };
}

async function post(
  url: string,
  request: unknown,
  signal: AbortSignal | undefined,
): Promise<JsonValue> {
  const { isOk, text } = await exchange(url, stringifyJson(request as JsonValue), signal);
  const answer = parseJson(text);
  if (isOk) return answer;
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  const { code, message, details } = isJsonObject(error) ? error : {};
  throw new WireError(
    isErrorCode(code) ? code : "internal",
    String(message),
    isJsonObject(details) ? details : {},
  );
}

async function exchange(
  url: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly isOk: boolean; readonly text: string }> {
  try {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body, redirect: "error" } as const;
    const response = await fetch(url, { ...init, ...(signal && { signal }) });
    return { isOk: response.ok, text: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    throw new ServerGoneError(`${url} does not answer`, { cause: error });
  }
}
