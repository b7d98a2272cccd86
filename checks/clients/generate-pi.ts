import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, stringifyJson } from "@pond/canonical";
import { type Generated, prompts, task, writeNotes } from "./generated.ts";
import { arrayAt } from "./model-json.ts";
import { startModelStub } from "./model-stub.ts";
import type { PiClient } from "./pi.ts";
import { following, type Script } from "./script.ts";
import { type Talk, talkTo } from "./talk.ts";
import { createThrowAwayHome } from "./throw-away-home.ts";

/** Lets the real pi or omp work for a while, over its RPC: tools, a shell command, a name, a fork. */
export async function generatePi(client: PiClient): Promise<Generated> {
  const home = createThrowAwayHome(() => ({ PI_OFFLINE: "1" }));
  const notes = writeNotes(home);
  const stub = await startModelStub(following(() => scriptOf(client, notes)));
  const folder = join(home.folder, client.folder);
  mkdirSync(folder, { recursive: true });
  const models = client.origin === "pi" ? "models.json" : "models.yml";
  writeFileSync(join(folder, models), stringifyJson(modelsAt(stub.url)));
  writeFileSync(join(folder, "settings.json"), stringifyJson(settings));
  const isPi = client.origin === "pi";
  const helped = isPi ? [] : [prompts.delegate];
  const scripted = isPi ? [prompts.script] : [];
  const typed = [
    ...[prompts.list, prompts.read, prompts.edit, prompts.fail],
    ...[...helped, ...scripted, prompts.thank],
  ];
  const args = [client.command, "--mode", "rpc", "--model", "stub/stub-model"];
  const talk = talkTo(home.start(client.runtime, args));
  for (const message of typed) {
    // A helper works beside, and its result comes when it comes.
    await prompt(talk, message, message === prompts.delegate ? '"customType":"async-result"' : "");
  }
  await command(talk, { type: "bash", command: "echo from the shell" });
  await command(talk, { type: "set_session_name", name: "Notes" });
  if (isPi) await command(talk, { type: "compact" });
  await prompt(talk, prompts.goOn);
  await fork(talk, client);
  await prompt(talk, prompts.read);
  await talk.end();
  return {
    folder,
    typed: [...typed, prompts.goOn],
    sessions: 2 + helped.length,
    helpers: helped.length,
    remove: async () => {
      await stub.close();
      home.remove();
    },
  };
}

function scriptOf({ origin }: PiClient, path: string): Script {
  const edits = [{ oldText: "second", newText: "2nd" }];
  const tasks = [{ name: "Counter", task }];
  return {
    [prompts.list]: ["bash", { command: "ls -la" }],
    [prompts.read]: ["read", { path }],
    [prompts.edit]:
      origin === "pi"
        ? ["edit", { path, edits }]
        : ["write", { path, content: "first line\n2nd line\n" }],
    [prompts.fail]: ["read", { path: `${path}.missing` }],
    [prompts.delegate]: ["task", { context: "The notes", tasks }],
    [prompts.script]: ["codemode", { code: script }],
  };
}

// It calls a tool, keeps a value in the session, and says something.
const script =
  'const { output } = await tools.bash({ command: "wc -l notes.txt" });\nstore("lines", output);\nreturn output;';

// Otherwise a session as short as this has nothing to compact.
const settings = { compaction: { keepRecentTokens: 50 }, defaultTools: ["+codemode"] };

function modelsAt(baseUrl: string): JsonObject {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 200_000, maxTokens: 8_000 };
  const model = { id: "stub-model", name: "Stub", input: ["text"], ...limits, cost };
  return {
    providers: { stub: { baseUrl, api: "anthropic-messages", apiKey: "fake", models: [model] } },
  };
}

/** Resolves when the model has had its last word, and has heard of what it waits for. */
async function prompt(talk: Talk, message: string, awaited = ""): Promise<void> {
  const isEnd = ({ type, success, messages = null }: JsonObject): boolean =>
    (type === "agent_end" && stringifyJson(messages).includes(awaited)) ||
    (type === "response" && success === false);
  const { error } = await talk.ask({ type: "prompt", message }, isEnd);
  if (error !== undefined) throw new Error(`${message}: ${error}`);
  // It says so a moment before it takes the next prompt, and says no more after that.
  while ((await command(talk, { type: "get_state" }))["isStreaming"] === true);
}

async function command(talk: Talk, asked: JsonObject): Promise<JsonObject> {
  const { success, error, data } = await talk.ask(
    asked,
    ({ type, command: name }) => type === "response" && name === asked["type"],
  );
  if (success !== true) throw new Error(`${asked["type"]}: ${error}`);
  return typeof data === "object" ? (data as JsonObject) : {};
}

/** Goes on from the second prompt in a session of its own. */
async function fork(talk: Talk, { origin }: PiClient): Promise<void> {
  const [list, go] =
    origin === "pi" ? ["get_fork_messages", "fork"] : ["get_branch_messages", "branch"];
  const [, second] = arrayAt(await command(talk, { type: list }), "messages") as JsonObject[];
  await command(talk, { type: go, entryId: second?.["entryId"] ?? null });
}
