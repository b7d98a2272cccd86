import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  stringifyJson,
} from "@pond/canonical";
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
import { startModelStub } from "./model-stub.ts";
import { createOpencodeHome } from "./opencode.ts";
import { talkToServer } from "./opencode-server.ts";
import { followScript, type Script } from "./script.ts";

const model = { providerID: "stub", modelID: "stub-model" };

/** The agent and model that answer, in the form of early releases and of later ones. */
const asked = { ...model, mode: "build", agent: "build", model };

/**
 * Lets the real opencode work for a while as a server: tools, files, a sub-agent, a shell command,
 * an interrupted turn, a compaction, a fork, a prompt taken back. It keeps running, with its
 * database open, until it is removed.
 */
export async function generateOpencode(binary: string, step: Step = everyStep): Promise<Generated> {
  const home = createOpencodeHome();
  const notes = writeNotes(home);
  const stub = await startModelStub(followScript(() => scriptFor(notes)));
  const settings = join(home.folder, ".config", "opencode");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "opencode.json"), stringifyJson(settingsFor(stub.url)));
  const client = home.start(binary, ["serve", "--port", "0"], 300_000);
  const server = await talkToServer(client);
  const typed = new TypedTexts(step);
  const session = await server.post("/session", {});
  const of = (id: string): string => `/session/${id}`;
  const main = of(textAt(session, "id"));
  const put = (place: string, text: string, ...files: readonly JsonObject[]): Promise<JsonValue> =>
    server.post(`${place}/message`, { ...asked, parts: [{ type: "text", text }, ...files] });
  const say = (text: string, ...files: readonly JsonObject[]): Promise<void> =>
    typed.type(text, () => put(main, text, ...files));
  const { list, read, edit, plan, fail, delegate } = prompts;
  for (const text of [list, read, edit, plan, fail, delegate]) await say(text);
  await typed.type(prompts.wait, async () => {
    const stopped = untilCommandRuns(home, client).then(() => server.post(`${main}/abort`, {}));
    await Promise.all([put(main, prompts.wait), stopped]);
  });
  const url = pathToFileURL(notes).href;
  await say(prompts.thank, { type: "file", mime: "text/plain", filename: "notes.txt", url });
  await step("shell", () =>
    server.post(`${main}/shell`, { agent: "build", model, command: "echo hello" }),
  );
  await step("compaction", () => server.post(`${main}/summarize`, model));
  const image = `data:image/png;base64,${pixel}`;
  await say(prompts.goOn, { type: "file", mime: "image/png", filename: "dot.png", url: image });
  // Then the server's view may stand for an export, which would need another start of the client.
  let isAsExported = false;
  let forks = 0;
  await step("fork", async () => {
    const fork = of(textAt(await server.post(`${main}/fork`, {}), "id"));
    forks += 1;
    await typed.typeElsewhere(prompts.other, () => put(fork, prompts.other));
  });
  return {
    folder: join(home.folder, ".local", "share", "opencode"),
    typed: typed.done,
    tried: typed.tried,
    sessions: 2 + forks,
    helpers: 1,
    exported: async (id) => {
      const [info, messages] = [await server.get(of(id)), await server.get(`${of(id)}/message`)];
      const shown = { info, messages };
      if (isAsExported) return shown;
      const { stdout } = await home.run(binary, ["export", id]);
      const exported: JsonObject = JSON.parse(stdout);
      isAsExported = jsonEqual(exported, shown);
      return exported;
    },
    remove: async () => {
      await server.end();
      await stub.close();
      home.remove();
    },
  };
}

function scriptFor(filePath: string): Script {
  const helper = { description: "Count lines", prompt: task, subagent_type: "general" };
  const todo = { id: "1", content: "Count", status: "pending", priority: "low" };
  const shell = (command: string, description: string) => ({ command, description });
  return {
    [prompts.list]: [["bash", shell("ls -la", "List the folder")]],
    [prompts.read]: [["read", { filePath }]],
    [prompts.edit]: [["edit", { filePath, oldString: "second", newString: "2nd" }]],
    [prompts.plan]: [["todowrite", { todos: [todo] }]],
    [prompts.fail]: [["read", { filePath: `${filePath}.missing` }]],
    [prompts.delegate]: [["task", helper]],
    [prompts.wait]: [["bash", shell(endlessCommand, "Wait")]],
  };
}

function settingsFor(url: string): JsonObject {
  const limit = { context: 200_000, output: 8_000 };
  const provider = {
    npm: "@ai-sdk/anthropic",
    name: "Stub",
    options: { baseURL: `${url}/v1`, apiKey: "fake" },
    models: { [model.modelID]: { name: "Stub", limit } },
  };
  const name = `${model.providerID}/${model.modelID}`;
  const permission = { bash: "allow", edit: "allow" };
  return { model: name, small_model: name, permission, provider: { stub: provider } };
}

function textAt(value: JsonValue, key: string): string {
  const text = isJsonObject(value) ? value[key] : undefined;
  if (typeof text !== "string") throw new TypeError(`no ${key} in ${stringifyJson(value)}`);
  return text;
}
