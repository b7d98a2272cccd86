import { join } from "node:path";
import { createCodexHome } from "./codex.ts";
import { type Generated, prompts, task, writeNotes } from "./generated.ts";
import { startModelStub } from "./model-stub.ts";
import { following, type Script } from "./script.ts";

/** Lets the real Codex work for a while, a prompt at a time: tools and a sub-agent. */
export async function generateCodex(binary: string): Promise<Generated> {
  const stub = await startModelStub(following(() => script));
  const home = createCodexHome(stub.url, "stub");
  writeNotes(home);
  const typed = [prompts.list, prompts.edit, prompts.fail, prompts.delegate, prompts.thank];
  const options = ["--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"];
  let thread: string | undefined;
  for (const text of typed) {
    const again = thread === undefined ? [] : ["resume", thread];
    const { stdout } = await home.run(binary, ["exec", ...options, ...again, text]);
    thread = /"thread_id":"([^"]+)"/.exec(stdout)?.[1];
  }
  return {
    folder: join(home.folder, ".codex"),
    typed,
    sessions: 2,
    helpers: 1,
    remove: async () => {
      await stub.close();
      home.remove();
    },
  };
}

const script: Script = {
  [prompts.list]: ["exec_command", { cmd: "ls -la" }],
  [prompts.edit]: ["exec_command", { cmd: "sed -i s/second/2nd/ notes.txt" }],
  [prompts.fail]: ["exec_command", { cmd: "cat missing.txt" }],
  [prompts.delegate]: ["multi_agent_v1.spawn_agent", { message: task }],
};
