import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringifyJson } from "@pond/canonical";
import { claudeCodeEnvironment } from "./claude-code.ts";
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
  writePicture,
} from "./generated.ts";
import { startModelStub } from "./model-stub.ts";
import { followScript, type Script } from "./script.ts";
import { createThrowAwayHome, type ThrowAwayHome } from "./throw-away-home.ts";

const allowed = "Bash,Read,View,Edit,Replace,TodoWrite,TaskCreate,Agent,Task,dispatch_agent";
const options = ["--output-format", "json", "--allowedTools", allowed];

/**
 * Lets the real Claude Code work for a while: tools, hooks, pictures, a sub-agent, a compaction, an
 * interrupted turn, a fork.
 */
export async function generateClaudeCode(
  binary: string,
  step: Step = everyStep,
): Promise<Generated> {
  const stub = await startModelStub(followScript(() => scriptFor(notes, picture)));
  const home = createThrowAwayHome(() => claudeCodeEnvironment(stub.url));
  const [notes, picture] = [writeNotes(home), writePicture(home)];
  writeHooks(home);
  const typed = new TypedTexts(step);
  let session: string | undefined;
  const again = (): readonly string[] => (session === undefined ? [] : ["--resume", session]);
  const print = async (text: string, ...more: readonly string[]): Promise<void> => {
    const { stdout } = await home.run(binary, ["-p", text, ...options, ...again(), ...more]);
    session = sessionIn(stdout) ?? session;
  };
  const { list, read, edit, plan, look, fail, delegate } = prompts;
  for (const text of [list, read, edit, plan, look, fail, delegate]) {
    await typed.type(text, () => print(text));
  }
  await step("/compact", () => print("/compact"));
  await typed.type(prompts.wait, async () => {
    const child = home.start(binary, ["-p", prompts.wait, ...options, ...again()]);
    // The client reads stdin to its end before it does anything.
    child.stdin?.end();
    await untilCommandRuns(home, child);
    child.kill("SIGINT");
    // Early releases do not end because of that.
    const hard = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended(child).finally(() => clearTimeout(hard));
  });
  await typed.type(prompts.thank, () => showPicture(home, binary, [...again()]));
  await typed.type(prompts.goOn, () => print(prompts.goOn));
  const forks = await typed.typeElsewhere(prompts.other, () =>
    print(prompts.other, "--fork-session"),
  );
  return {
    folder: join(home.folder, ".claude"),
    typed: typed.done,
    tried: typed.tried,
    sessions: forks ? 3 : 2,
    helpers: 1,
    remove: async () => {
      await stub.close();
      home.remove();
    },
  };
}

/** Early releases print one object, others all messages. */
function sessionIn(stdout: string): string | undefined {
  const printed = JSON.parse(stdout);
  return (Array.isArray(printed) ? printed.at(-1) : printed)?.session_id;
}

/** A prompt with a picture, as a program that runs the client passes it. */
async function showPicture(
  home: ThrowAwayHome,
  binary: string,
  again: readonly string[],
): Promise<void> {
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const child = home.start(binary, ["-p", ...formats, ...again]);
  const source = { type: "base64", media_type: "image/png", data: pixel };
  const content = [
    { type: "text", text: prompts.thank },
    { type: "image", source },
  ];
  child.stdin?.end(`${stringifyJson({ type: "user", message: { role: "user", content } })}\n`);
  await ended(child);
  if (child.exitCode !== 0) throw new Error(`ended with ${child.exitCode ?? child.signalCode}`);
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  child.stderr?.resume();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Hooks add text to each prompt and each reading, and keep the first turn from ending at once. */
function writeHooks(home: ThrowAwayHome): void {
  const running = (command: string) => [{ matcher: "", hooks: [{ type: "command", command }] }];
  const block = stringifyJson({ decision: "block", reason: "Look once more" });
  const hooks = {
    SessionStart: running("echo begun by a hook"),
    UserPromptSubmit: running("echo said by a hook"),
    PostToolUse: running("grep -q missing && echo seen by a hook >&2 && exit 2; exit 0"),
    Stop: running(`test -e stopped || { touch stopped; echo '${block}'; }`),
  };
  mkdirSync(join(home.folder, ".claude"), { recursive: true });
  writeFileSync(join(home.folder, ".claude", "settings.json"), stringifyJson({ hooks }));
}

function scriptFor(path: string, picture: string): Script {
  const edit = { file_path: path, old_string: "second", new_string: "2nd" };
  const helper = { description: "Count lines", prompt: task, subagent_type: "general-purpose" };
  const shell = (command: string, description: string) => ({ command, description });
  const todo = { content: "Count", status: "pending", activeForm: "Counting" };
  const reading = (file_path: string): Script[string] => [
    ["Read", { file_path }],
    ["View", { file_path }],
  ];
  return {
    [prompts.list]: [["Bash", shell("ls -la", "List the folder")]],
    [prompts.read]: reading(path),
    [prompts.edit]: [
      ["Edit", edit],
      ["Replace", edit],
    ],
    [prompts.plan]: [
      ["TaskCreate", { subject: "Count", description: "Count the lines", activeForm: "Counting" }],
      ["TodoWrite", { todos: [{ id: "1", priority: "low", ...todo }] }],
    ],
    [prompts.look]: reading(picture),
    [prompts.fail]: reading(`${path}.missing`),
    [prompts.delegate]: [
      ["Agent", helper],
      ["Task", helper],
      ["dispatch_agent", { prompt: task }],
    ],
    [prompts.wait]: [["Bash", shell(endlessCommand, "Wait")]],
  };
}
