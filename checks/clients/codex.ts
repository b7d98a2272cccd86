import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { installFromNpm } from "@pond/npm-testkit";
import { copyWritable } from "../copy-writable.ts";
import type { Resumed } from "./claude-code.ts";
import { startModelStub } from "./model-stub.ts";
import { createThrowAwayHome, type ThrowAwayHome } from "./throw-away-home.ts";

const newest = "0.171.0";

/** Path of the real client. */
export async function installCodex(version: string = newest): Promise<string | undefined> {
  const program = join(".bin", "codex");
  const modules = await installFromNpm({
    name: `codex-${version}`,
    packages: [`@openai/codex@${version}`],
    program,
    // Early releases have all builds in one package.
    ...(version === newest && { builds: "@openai/codex" }),
  });
  return modules && join(modules, program);
}

/** The model that {@link createCodexHome} configures. */
export const configuredModel = "gpt-5.2";

/** A throw-away home whose Codex asks the stand-in, under the name of the given provider. */
export function createCodexHome(modelUrl: string, provider: string): ThrowAwayHome {
  const home = createThrowAwayHome((folder) => ({
    CODEX_HOME: join(folder, ".codex"),
    CODEX_API_KEY: "fake",
  }));
  mkdirSync(join(home.folder, ".codex"));
  const url = JSON.stringify(`${modelUrl}/v1`);
  const name = JSON.stringify(provider);
  // Otherwise long tool results are cut on resume.
  const common = `model = "${configuredModel}"\ntool_output_token_limit = 10000000\n`;
  writeFileSync(
    join(home.folder, ".codex", "config.toml"),
    provider === "openai"
      ? `${common}openai_base_url = ${url}\n`
      : `${common}model_provider = ${name}\n[model_providers.${name}]\nname = ${name}\n` +
          `base_url = ${url}\nwire_api = "responses"\nenv_key = "CODEX_API_KEY"\n`,
  );
  return home;
}

/** Session files in a folder of the client that it can find by name: its ids are UUIDs. */
export function rolloutsIn(folder: string): string[] {
  return globSync("{sessions,archived_sessions}/**/*.jsonl", { cwd: folder })
    .filter((path) => threadIdOf(path) !== "")
    .sort();
}

/** The id in the name of a file. */
export function threadIdOf(rollout: string): string {
  return (
    /^rollout-.+?-([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})/.exec(basename(rollout))?.[1] ?? ""
  );
}

/** The provider that a rollout needs: a session is only resumed with its own provider. */
export function providerOf(text: string): string {
  const meta: JsonValue = parseJson(text.split("\n", 1)[0] ?? "");
  const payload = isJsonObject(meta) ? meta["payload"] : undefined;
  const provider = isJsonObject(payload) ? payload["model_provider"] : undefined;
  return typeof provider === "string" ? provider : "openai";
}

/**
 * What the client gave to a model, made independent of home and time: it tells the model where it
 * runs, and names its own additions after the time.
 *
 * @param known - The text of the session, whose own marks are kept.
 */
export function historyIn(
  request: readonly JsonValue[],
  home: ThrowAwayHome,
  known: string,
): readonly JsonValue[] {
  const text = JSON.stringify(request).replaceAll(home.folder, "HOME");
  const marks = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<="create_time":)[\d.]+/g;
  return JSON.parse(text.replaceAll(marks, (mark) => (known.includes(mark) ? mark : "0")));
}

/**
 * Resumes a session in the real client, offline, in a throw-away home with no other session.
 *
 * @param folder - A folder in the client's own layout; never changed.
 * @param rollout - Path of the session's file below the folder; copied.
 */
export async function resumeCodex(
  binary: string,
  folder: string,
  rollout: string,
  threadId: string,
): Promise<Resumed> {
  const known = readFileSync(join(folder, rollout), "utf8");
  const stub = await startModelStub();
  const home = createCodexHome(stub.url, providerOf(known));
  try {
    copyWritable(join(folder, rollout), join(home.folder, ".codex", rollout));
    const { stdout } = await home.run(binary, [
      ...["exec", "--skip-git-repo-check", "--json", "resume", threadId, "continue"],
    ]);
    const history = historyIn(stub.requests[0] ?? [], home, known);
    return { history, answer: lastAnswer(stdout), models: [...stub.models] };
  } finally {
    await stub.close();
    home.remove();
  }
}

/** The text of the last message among the events that `exec --json` prints. */
function lastAnswer(stdout: string): string {
  const texts = stdout.split("\n").flatMap((line) => {
    const event = line === "" ? undefined : JSON.parse(line);
    return event?.item?.type === "agent_message" ? [String(event.item.text)] : [];
  });
  return texts.at(-1) ?? "";
}
