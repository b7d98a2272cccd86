import type { ChildProcess } from "node:child_process";
import { type JsonValue, parseJson, stringifyJson } from "@pond/canonical";

/** The real client as a server on the loopback. */
export type OpencodeServer = {
  get(path: string): Promise<JsonValue>;
  post(path: string, body: JsonValue): Promise<JsonValue>;
  delete(path: string): Promise<JsonValue>;
  end(): Promise<void>;
};

/** Resolves when the newly started server listens. */
export async function talkToServer(server: ChildProcess): Promise<OpencodeServer> {
  const ended = new Promise<void>((done) => server.on("exit", () => done()));
  const url = await addressOf(server);
  const ask = async (path: string, options: RequestInit = {}): Promise<JsonValue> => {
    const response = await fetch(`${url}${path}`, options);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 1_000)}`);
    return parseJson(text);
  };
  return {
    get: (path) => ask(path),
    post: (path, body) =>
      ask(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: stringifyJson(body),
      }),
    delete: (path) => ask(path, { method: "DELETE" }),
    end: () => {
      // If asked politely, it waits for everyone who is connected.
      server.kill("SIGKILL");
      return ended;
    },
  };
}

/** The server prints where it listens. */
function addressOf(server: ChildProcess): Promise<string> {
  let printed = "";
  return new Promise((done, fail) => {
    const read = (chunk: unknown): void => {
      printed += String(chunk);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
      if (url !== undefined) done(url);
    };
    server.stdout?.on("data", read);
    server.stderr?.on("data", read);
    server.on("error", fail);
    server.on("exit", (code) => fail(new Error(`the server ended with ${code}: ${printed}`)));
  });
}
