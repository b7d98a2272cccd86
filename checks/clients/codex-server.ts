import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@pond/canonical";
import { copyWritable } from "../copy-writable.ts";
import type { Resumed } from "./claude-code.ts";
import { createCodexHome, historyIn, providerOf, rolloutsIn, threadIdOf } from "./codex.ts";
import { callsOf, greet, type Threads, threadsOf } from "./codex-app-server.ts";
import { startModelStub } from "./model-stub.ts";
import { talkTo } from "./talk.ts";

/**
 * The real client as a server, in a home of its own. It starts once for many sessions; the command
 * would start once for each.
 */
type CodexServer = {
  readonly threads: (ids: readonly string[]) => Promise<Threads>;
  /** Resumes a session as `codex exec resume` does, which is a client of such a server. */
  readonly resume: (rollout: string) => Promise<Resumed>;
};

export type CodexServers = {
  /**
   * Returns a server that has the sessions of a folder besides those of earlier folders. The folder
   * is in the client's own layout and is not changed. It is a new server if the last one has ended,
   * or has other sessions with these ids.
   */
  holding(folder: string): Promise<CodexServer>;
  end(): Promise<void>;
};

type Running = CodexServer & {
  readonly add: (folder: string) => void;
  readonly has: (id: string) => boolean;
  readonly isAlive: () => boolean;
  readonly end: () => Promise<void>;
};

export function codexServers(binary: string): CodexServers {
  let running: Running | undefined;
  let folders = new Set<string>();
  const isFree = (folder: string): boolean =>
    !rolloutsIn(folder).some((rollout) => running?.has(threadIdOf(rollout)));
  return {
    holding: async (folder) => {
      if (running?.isAlive() && folders.has(folder)) return running;
      if (!running?.isAlive() || !isFree(folder)) {
        await running?.end();
        running = await startServer(binary);
        folders = new Set();
      }
      running.add(folder);
      folders.add(folder);
      return running;
    },
    end: async () => running?.end(),
  };
}

async function startServer(binary: string): Promise<Running> {
  const stub = await startModelStub();
  const home = createCodexHome(stub.url, "openai");
  const own = join(home.folder, ".codex");
  // Unlike the command, the server takes no key from the environment.
  writeFileSync(join(own, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "fake" }));
  const child = home.start(binary, ["app-server"], 900_000);
  const talk = talkTo(child);
  const call = callsOf(talk);
  await greet(talk, call);
  const ids = new Set<string>();
  const events = (threadId: string, method: string) => (event: JsonObject) =>
    event["method"] === method && (event["params"] as JsonObject)["threadId"] === threadId;
  return {
    add: (folder) => {
      copySessions(folder, own);
      for (const rollout of rolloutsIn(folder)) ids.add(threadIdOf(rollout));
    },
    has: (id) => ids.has(id),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    threads: (wanted) => threadsOf(call, wanted),
    resume: async (rollout) => {
      const path = join(own, rollout);
      const known = readFileSync(path, "utf8");
      const threadId = threadIdOf(rollout);
      const first = stub.requests.length;
      stub.models.clear();
      await call("thread/resume", {
        ...{ threadId, cwd: home.work },
        ...{ approvalPolicy: "never", sandbox: "read-only", excludeTurns: true },
        ...providing(providerOf(known), stub.url),
      });
      let answer = "";
      const ended = talk.hear((event) => {
        if (events(threadId, "item/completed")(event)) answer = textOf(event) ?? answer;
        return events(threadId, "turn/completed")(event);
      });
      await call("turn/start", { threadId, input: [{ type: "text", text: "continue" }] });
      await ended;
      const history = historyIn(stub.requests[first] ?? [], home, known);
      return { history, answer, models: [...stub.models] };
    },
    end: async () => {
      await talk.end();
      await stub.close();
      home.remove();
    },
  };
}

/** A session is only resumed with its own provider, so the stand-in takes its place. */
function providing(provider: string, url: string): JsonObject {
  if (provider === "openai") return { modelProvider: provider };
  const stub = { base_url: `${url}/v1`, wire_api: "responses", env_key: "CODEX_API_KEY" };
  const config = { model_providers: { [provider]: { name: provider, ...stub } } };
  return { modelProvider: provider, config };
}

function textOf({ params }: JsonObject): string | undefined {
  const { item } = params as JsonObject;
  const { type, text } = item as JsonObject;
  return type === "agentMessage" ? String(text) : undefined;
}

/** There is one list of names for all sessions, so new names are appended to it. */
function copySessions(from: string, to: string): void {
  const list = "session_index.jsonl";
  copyWritable(from, to, { filter: (path) => path !== join(from, list) });
  const [names, more] = [linesAt(join(to, list)), linesAt(join(from, list))];
  mkdirSync(dirname(join(to, list)), { recursive: true });
  if (more !== "") writeFileSync(join(to, list), `${names}${more}`);
}

function linesAt(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/(?<!\n)$/, "\n");
  } catch {
    return "";
  }
}
