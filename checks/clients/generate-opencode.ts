import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "@pond/canonical";
import { type Generated, prompts, task, writeNotes } from "./generated.ts";
import { startModelStub } from "./model-stub.ts";
import { createOpencodeHome } from "./opencode.ts";
import { talkToServer } from "./opencode-server.ts";
import { following, type Script } from "./script.ts";

export type GeneratedDatabase = Generated & {
  /** What the client itself exports of a session. */
  exported(id: string): Promise<JsonObject>;
};

/** One pixel. */
const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const model = { providerID: "stub", modelID: "stub-model" };

/**
 * Lets the real opencode work for a while as a server: tools, files, a sub-agent, a shell command, a
 * compaction, a fork. It still runs, its database open, until it is removed.
 */
export async function generateOpencode(binary: string): Promise<GeneratedDatabase> {
  const home = createOpencodeHome();
  const notes = writeNotes(home);
  const stub = await startModelStub(following(() => scriptFor(notes)));
  const settings = join(home.folder, ".config", "opencode");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "opencode.json"), stringifyJson(settingsFor(stub.url)));
  const server = await talkToServer(home.start(binary, ["serve", "--port", "0"]));
  const id = textAt(await server.post("/session", {}), "id");
  const say = (text: string, ...files: readonly JsonObject[]): Promise<JsonValue> =>
    server.post(`/session/${id}/message`, { parts: [{ type: "text", text }, ...files] });
  const typed = [prompts.list, prompts.read, prompts.edit, prompts.fail, prompts.delegate];
  for (const text of typed) await say(text);
  const url = pathToFileURL(notes).href;
  await say(prompts.thank, { type: "file", mime: "text/plain", filename: "notes.txt", url });
  await server.post(`/session/${id}/shell`, { agent: "build", model, command: "echo hello" });
  await server.post(`/session/${id}/summarize`, model);
  await say(prompts.goOn, { type: "file", mime: "image/png", filename: "dot.png", url: image });
  await server.post(`/session/${id}/fork`, {});
  return {
    folder: join(home.folder, ".local", "share", "opencode"),
    typed: [...typed, prompts.thank, prompts.goOn],
    sessions: 3,
    helpers: 1,
    exported: async (session) => {
      const { stdout } = await home.run(binary, ["export", session]);
      return JSON.parse(stdout);
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
  return {
    [prompts.list]: ["bash", { command: "ls -la", description: "List the folder" }],
    [prompts.read]: ["read", { filePath }],
    [prompts.edit]: ["edit", { filePath, oldString: "second", newString: "2nd" }],
    [prompts.fail]: ["read", { filePath: `${filePath}.missing` }],
    [prompts.delegate]: ["task", helper],
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
  const permission = { "*": "allow" };
  return { model: name, small_model: name, permission, provider: { stub: provider } };
}

function textAt(value: JsonValue, key: string): string {
  const text = isJsonObject(value) ? value[key] : undefined;
  if (typeof text !== "string") throw new TypeError(`no ${key} in ${stringifyJson(value)}`);
  return text;
}
