import { join } from "node:path";
import { claudeCodeEnvironment } from "./claude-code.ts";
import { type Generated, prompts, task, writeNotes } from "./generated.ts";
import { startModelStub } from "./model-stub.ts";
import { following, type Script } from "./script.ts";
import { createThrowAwayHome } from "./throw-away-home.ts";

/** Lets the real Claude Code work for a while: tools, a sub-agent, a compaction. */
export async function generateClaudeCode(binary: string): Promise<Generated> {
  const stub = await startModelStub(following(() => scriptFor(notes)));
  const home = createThrowAwayHome(() => claudeCodeEnvironment(stub.url));
  const notes = writeNotes(home);
  const typed = [prompts.list, prompts.read, prompts.edit, prompts.fail, prompts.delegate];
  const options = ["--output-format", "json", "--allowedTools", "Bash,Read,Edit,Agent"];
  let session: string | undefined;
  for (const text of [...typed, "/compact", prompts.goOn]) {
    const again = session === undefined ? [] : ["--resume", session];
    const { stdout } = await home.run(binary, ["-p", text, ...options, ...again]);
    session = JSON.parse(stdout).session_id;
  }
  return {
    folder: join(home.folder, ".claude"),
    typed: [...typed, prompts.goOn],
    sessions: 2,
    helpers: 1,
    remove: async () => {
      await stub.close();
      home.remove();
    },
  };
}

function scriptFor(path: string): Script {
  const edit = { file_path: path, old_string: "second", new_string: "2nd" };
  const helper = { description: "Count lines", prompt: task, subagent_type: "general-purpose" };
  return {
    [prompts.list]: ["Bash", { command: "ls -la", description: "List the folder" }],
    [prompts.read]: ["Read", { file_path: path }],
    [prompts.edit]: ["Edit", edit],
    [prompts.fail]: ["Read", { file_path: `${path}.missing` }],
    [prompts.delegate]: ["Agent", helper],
  };
}
