import type { LogStream } from "@pond/server/http";
import type { Config } from "./config.ts";

/** The log of the process: JSON, one object a line, in the same form as the HTTP server's lines. */
export type Log = {
  info(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Logs an unexpected error by where it came from, because its message may quote a session. */
  failure(message: string, error: unknown): void;
  /** The stream that the HTTP server writes to. */
  readonly stream: LogStream;
};

type Fields = Readonly<Record<string, string | number | boolean | null>>;

const levels = { info: 30, error: 50, silent: Number.POSITIVE_INFINITY } as const;
// A line begins with its level.
const lineLevel = /^\{"level":(\d+)/;

/**
 * @param secrets - Texts that no line may hold, such as keys.
 * @param write - Called with a line including its end.
 */
export function createLog(
  level: Config["log"],
  secrets: readonly string[],
  write: (line: string) => unknown,
): Log {
  const put = (line: string): void => {
    if (Number(lineLevel.exec(line)?.[1] ?? levels.error) < levels[level]) return;
    write(withoutSecrets(line, secrets));
  };
  const say = (of: number, message: string, fields: Fields = {}): void => {
    const time = new Date().toISOString();
    put(`${JSON.stringify({ level: of, time, ...fields, msg: message })}\n`);
  };
  return {
    info: (message, fields) => say(levels.info, message, fields),
    error: (message, fields) => say(levels.error, message, fields),
    failure: (message, error) => say(levels.error, message, originOf(error)),
    stream: { write: put },
  };
}

/** Replaces every secret with stars. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // In a line, quotes and backslashes of a secret are escaped.
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return [...new Set(written)]
    .sort((left, right) => right.length - left.length)
    .reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

function originOf(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error };
  const { name, message, stack = "" } = error;
  // It begins with the message, whose lines may look like frames.
  const at = stack.indexOf(message);
  const frames = at < 0 ? [] : stack.slice(at + message.length).split("\n");
  const code = "code" in error ? { code: String(error.code) } : {};
  return {
    error: name,
    ...code,
    from: frames
      .map((line) => line.trim())
      .filter(Boolean)
      .join("; "),
  };
}
