import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { copyWritable } from "../copy-writable.ts";
import { createCodexHome } from "./codex.ts";
import { arrayAt } from "./model-json.ts";
import { type Talk, talkTo } from "./talk.ts";

/** A session as the client's user interface gets it. */
type Thread = {
  readonly id: string;
  readonly preview: string;
  /** The name of the session; null if it has none. */
  readonly name: JsonValue | undefined;
  readonly forkedFrom: JsonValue | undefined;
  readonly spawnedBy: JsonValue | undefined;
  /** The items of all turns, in order. */
  readonly items: readonly JsonObject[];
};

export type Threads = {
  /** The ids that the client lists as sessions that a human may continue. */
  readonly listed: readonly string[];
  readonly threads: readonly Thread[];
};

/** Reads sessions through the real client's `app-server`. */
export async function readThreads(
  binary: string,
  folder: string,
  ids: readonly string[],
): Promise<Threads> {
  // No model is needed.
  const home = createCodexHome("http://127.0.0.1:1", "stub");
  copyWritable(folder, join(home.folder, ".codex"));
  const talk = talkTo(home.start(binary, ["app-server"]));
  try {
    const call = callsOf(talk);
    await greet(talk, call);
    return await threadsOf(call, ids);
  } finally {
    await talk.end();
    home.remove();
  }
}

/** Introduces the caller before the first request. */
export async function greet(talk: Talk, call: Call): Promise<void> {
  await call("initialize", { clientInfo: { name: "pond", title: null, version: "0" } });
  talk.tell({ method: "initialized" });
}

/** Sessions as the client lists and shows them. */
export async function threadsOf(call: Call, ids: readonly string[]): Promise<Threads> {
  const list = await call("thread/list", { limit: 1_000, modelProviders: [] });
  const threads: Thread[] = [];
  for (const threadId of ids) {
    threads.push(threadOf(await call("thread/read", { threadId, includeTurns: true })));
  }
  return { listed: arrayAt(list, "data").flatMap(idOf), threads };
}

export type Call = (method: string, params: JsonObject) => Promise<JsonObject>;

/** JSON-RPC, except that the client leaves out the version. */
export function callsOf(talk: Talk): Call {
  let last = 0;
  return async (method, params) => {
    const id = ++last;
    const { result, error } = await talk.ask(
      { id, method, params },
      (answer) => answer["id"] === id,
    );
    if (!isJsonObject(result)) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
}

function idOf(thread: JsonValue): string[] {
  return isJsonObject(thread) && typeof thread["id"] === "string" ? [thread["id"]] : [];
}

function threadOf(result: JsonObject): Thread {
  const thread = isJsonObject(result["thread"]) ? result["thread"] : {};
  return {
    id: String(thread["id"]),
    preview: String(thread["preview"]),
    name: thread["name"],
    forkedFrom: thread["forkedFromId"],
    spawnedBy: thread["parentThreadId"],
    items: arrayAt(thread, "turns").flatMap((turn) =>
      isJsonObject(turn) ? arrayAt(turn, "items").filter(isJsonObject) : [],
    ),
  };
}
