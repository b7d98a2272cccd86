import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";

/** A client that talks over its standard streams, one JSON message a line. */
export type Talk = {
  tell(message: JsonObject): void;
  /** Sends a message, and resolves to the first later message that is an answer. */
  ask(message: JsonObject, isAnswer: (message: JsonObject) => boolean): Promise<JsonObject>;
  /** Resolves to the first message from now on that matches. */
  hear(isAwaited: (message: JsonObject) => boolean): Promise<JsonObject>;
  /** Ends the client, and waits for its end. */
  end(): Promise<void>;
};

type Waiting = {
  readonly isAnswer: (message: JsonObject) => boolean;
  readonly done: (message: JsonObject) => void;
};

/** Begins to talk. If the client ends, everyone who waits for it gets an error with its output. */
export function talkTo(child: ChildProcess): Talk {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new TypeError("the client has no standard streams");
  const waiting = new Set<Waiting>();
  let last = "";
  stderr.on("data", (chunk) => {
    last = `${last}${chunk}`.slice(-4_000);
  });
  createInterface({ input: stdout }).on("line", (line) => {
    const message = messageIn(line);
    if (message === undefined) return;
    last = `${last}\n${line}`.slice(-4_000);
    for (const each of waiting) {
      if (!each.isAnswer(message)) continue;
      waiting.delete(each);
      each.done(message);
    }
  });
  const closed = new Promise<void>((done) => child.on("close", () => done()));
  const failed = new Promise<never>((_, fail) => {
    child.on("error", fail);
    child.on("close", (code) => fail(new Error(`the client ended with ${code}: ${last}`)));
  });
  // Everyone who waits for an answer gets the error; there may be nobody.
  failed.catch(() => undefined);
  const tell = (message: JsonObject): void => {
    stdin.write(`${JSON.stringify(message)}\n`);
  };
  const hear = (isAnswer: Waiting["isAnswer"]): Promise<JsonObject> =>
    Promise.race([new Promise<JsonObject>((done) => waiting.add({ isAnswer, done })), failed]);
  return {
    tell,
    hear,
    ask: (message, isAnswer) => {
      const answered = hear(isAnswer);
      tell(message);
      return answered;
    },
    end: () => {
      stdin.end();
      child.kill();
      return closed;
    },
  };
}

/** Some clients also print lines that are no messages. */
function messageIn(line: string): JsonObject | undefined {
  if (!line.startsWith("{")) return undefined;
  const value: JsonValue = parseJson(line);
  return isJsonObject(value) ? value : undefined;
}
