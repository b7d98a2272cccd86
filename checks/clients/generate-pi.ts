import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { type JsonObject, stringifyJson } from "@pond/canonical";
import {
  endlessCommand,
  everyStep,
  type Generated,
  pixel,
  prompts,
  type Step,
  TypedTexts,
  task,
  untilCommandRuns,
  writeNotes,
} from "./generated.ts";
import { arrayAt } from "./model-json.ts";
import { startModelStub } from "./model-stub.ts";
import type { PiClient } from "./pi.ts";
import { followScript, type Script } from "./script.ts";
import { type Talk, talkTo } from "./talk.ts";
import { createThrowAwayHome } from "./throw-away-home.ts";

/**
 * Lets the real pi or omp work for a while, over its RPC: tools, a picture, an interrupted turn, a
 * shell command, a name, a compaction, a fork.
 */
export async function generatePi(client: PiClient, step: Step = everyStep): Promise<Generated> {
  const home = createThrowAwayHome(() => ({ PI_OFFLINE: "1" }));
  const notes = writeNotes(home);
  const stub = await startModelStub(followScript(() => scriptOf(client, notes)));
  const folder = join(home.folder, client.folder);
  mkdirSync(folder, { recursive: true });
  const models = stringifyJson(modelsAt(stub.url));
  for (const name of ["models.json", "models.yml"]) writeFileSync(join(folder, name), models);
  writeFileSync(join(folder, "settings.json"), stringifyJson(settings));
  const isPi = client.origin === "pi";
  const args = ["--mode", "rpc", "--provider", "stub", "--model", "stub-model"];
  const process = home.start(client.runtime, [client.command, ...args], 600_000);
  const talk = talkTo(process);
  const typed = new TypedTexts(step);
  const { list, read, edit, look, fail, delegate, script, thank } = prompts;
  const image = { type: "image", data: pixel, mimeType: "image/png" };
  for (const message of [list, read, edit, look, fail, isPi ? script : delegate, thank]) {
    const images = message === look ? [image] : [];
    await typed.type(message, () => prompt(talk, { message, images }));
  }
  await typed.type(prompts.wait, async () => {
    const stopped = untilCommandRuns(home, process).then(() => talk.tell({ type: "abort" }));
    await Promise.all([prompt(talk, { message: prompts.wait }), stopped]);
  });
  await step("shell", () => command(talk, { type: "bash", command: "echo from the shell" }));
  await step("name", () => command(talk, { type: "set_session_name", name: "Notes" }));
  if (isPi) await step("compaction", () => command(talk, { type: "compact" }));
  await typed.type(prompts.goOn, () => prompt(talk, { message: prompts.goOn }));
  const forks = await step("fork", () => fork(talk));
  if (forks) {
    await typed.typeElsewhere(prompts.other, () => prompt(talk, { message: prompts.other }));
  }
  await talk.end();
  const helpers = isPi ? 0 : 1;
  return {
    folder,
    typed: typed.done,
    tried: typed.tried,
    sessions: 1 + helpers + (forks ? 1 : 0),
    helpers,
    remove: async () => {
      await stub.close();
      home.remove();
    },
  };
}

function scriptOf({ origin }: PiClient, path: string): Script {
  const [oldText, newText] = ["second", "2nd"];
  const tasks = [{ name: "Counter", task, id: "Counter", description: "Count", assignment: task }];
  return {
    [prompts.list]: [["bash", { command: "ls -la" }]],
    [prompts.read]: [["read", { path }]],
    [prompts.edit]:
      origin === "pi"
        ? [["edit", { path, oldText, newText, edits: [{ oldText, newText }] }]]
        : [["write", { path, content: "first line\n2nd line\n" }]],
    [prompts.fail]: [["read", { path: `${path}.missing` }]],
    [prompts.delegate]: [["task", { agent: "task", context: "The notes", tasks }]],
    [prompts.script]: [["codemode", { code: script }]],
    [prompts.wait]: [["bash", { command: endlessCommand }]],
  };
}

// It calls a tool, keeps a value in the session, and says something.
const script =
  'const { output } = await tools.bash({ command: "wc -l notes.txt" });\nstore("lines", output);\nreturn output;';

// Otherwise a session as short as this has nothing to compact. Tools are named one by one: adding
// to the usual ones is a newer option than choosing them, and earlier releases would have none.
const settings = {
  compaction: { keepRecentTokens: 50 },
  defaultTools: ["read", "bash", "edit", "write", "codemode"],
};

function modelsAt(baseUrl: string): JsonObject {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 200_000, maxTokens: 8_000 };
  const abilities = { reasoning: false, input: ["text", "image"] };
  const model = { id: "stub-model", name: "Stub", ...abilities, ...limits, cost };
  return {
    providers: { stub: { baseUrl, api: "anthropic-messages", apiKey: "fake", models: [model] } },
  };
}

/** Resolves when the model has ended, and has the results that it waits for. */
async function prompt(talk: Talk, asked: JsonObject): Promise<void> {
  const isEnd = ({ type, success, messages = null }: JsonObject): boolean =>
    (type === "agent_end" && !awaitsHelper(stringifyJson(messages))) ||
    (type === "response" && success === false);
  const { error } = await talk.ask({ type: "prompt", ...asked }, isEnd);
  if (error !== undefined) throw new Error(`${asked["message"]}: ${error}`);
  // The client reports the end a moment before it takes the next prompt, and nothing after that.
  while (await isStreaming(talk));
}

/** Since about omp 14, a helper works in the background, and its result comes later. */
function awaitsHelper(messages: string): boolean {
  return messages.includes("Spawned agent") && !messages.includes('"customType":"async-result"');
}

async function isStreaming(talk: Talk): Promise<boolean> {
  if (silent.has(talk)) return false;
  const state = command(talk, { type: "get_state" });
  const answer = await Promise.race([state, later(20_000, undefined, { ref: false })]);
  if (answer === undefined) silent.add(talk);
  return answer?.["isStreaming"] === true;
}

/** Clients that do not answer that: early releases of pi, which take the next prompt at once. */
const silent: WeakSet<Talk> = new WeakSet();

async function command(talk: Talk, asked: JsonObject): Promise<JsonObject> {
  const { success, error, data } = await talk.ask(
    asked,
    ({ type, command: name }) => type === "response" && name === asked["type"],
  );
  if (success !== true) throw new Error(`${asked["type"]}: ${error}`);
  return typeof data === "object" ? (data as JsonObject) : {};
}

/** Continues from the second prompt in a separate session. */
async function fork(talk: Talk): Promise<void> {
  try {
    await forkBy(talk, "get_fork_messages", "fork");
  } catch {
    // The commands of omp and of early releases of pi.
    await forkBy(talk, "get_branch_messages", "branch");
  }
}

async function forkBy(talk: Talk, list: string, go: string): Promise<void> {
  const [, second] = arrayAt(await command(talk, { type: list }), "messages") as JsonObject[];
  const { entryId = null, entryIndex = null } = second ?? {};
  await command(talk, { type: go, entryId, entryIndex });
}
