import { join } from "node:path";
import type { JsonValue } from "@pond/canonical";
import { installFromNpm } from "@pond/npm-testkit";
import { copyWritable } from "../copy-writable.ts";
import { startModelStub } from "./model-stub.ts";
import { createThrowAwayHome } from "./throw-away-home.ts";

const newest = "2.1.332";

/** Path of the real client. */
export async function installClaudeCode(version: string = newest): Promise<string | undefined> {
  const program = join(".bin", "claude");
  const modules = await installFromNpm({
    name: `claude-code-${version}`,
    packages: [`@anthropic-ai/claude-code@${version}`],
    program,
    // Early releases have no builds, or all of them in one package.
    ...(version === newest && { builds: "@anthropic-ai/claude-code" }),
  });
  return modules && join(modules, program);
}

/** The environment that keeps the client off the network, with the stand-in as its model. */
export function claudeCodeEnvironment(modelUrl: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "fake",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

export type Resumed = {
  /** The messages that the client sent to the model: the replayed history, then the new prompt. */
  readonly history: readonly JsonValue[];
  readonly answer: string;
  /** The models that the client requested. */
  readonly models: readonly string[];
};

/**
 * Resumes a session in the real client, offline, in a throw-away home.
 *
 * @param folder - A folder in the client's layout. Files beside the session are only copied.
 * @param directory - Folder name of the session below `projects`.
 */
export async function resumeClaudeCode(
  binary: string,
  folder: string,
  directory: string,
  sessionId: string,
): Promise<Resumed> {
  const stub = await startModelStub();
  const home = createThrowAwayHome(() => ({
    ...claudeCodeEnvironment(stub.url),
    CLAUDE_CODE_PROJECT_DIR_NAME: directory,
  }));
  try {
    const place = join("projects", directory);
    copyWritable(join(folder, place), join(home.folder, ".claude", place));
    const { stdout } = await home.run(binary, [
      ...["-p", "continue", "--resume", sessionId, "--output-format", "json"],
    ]);
    const longest = stub.requests.toSorted((left, right) => right.length - left.length)[0] ?? [];
    // The client tells the model in which folder it runs.
    const history = JSON.parse(JSON.stringify(longest).replaceAll(home.folder, "HOME"));
    return { history, answer: String(JSON.parse(stdout).result), models: [...stub.models] };
  } finally {
    await stub.close();
    home.remove();
  }
}
