import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@pond/canonical";
import { createCodexHome, rolloutsIn, threadIdOf } from "./codex.ts";
import { type Call, callsOf, greet } from "./codex-app-server.ts";
import {
  endlessCommand,
  everyStep,
  type Generated,
  prompts,
  type Step,
  TypedTexts,
  task,
  untilCommandRuns,
  writeNotes,
  writePicture,
} from "./generated.ts";
import { startModelStub } from "./model-stub.ts";
import { followScript, type Script, type ScriptedCall } from "./script.ts";
import { type Talk, talkTo } from "./talk.ts";
import type { ThrowAwayHome } from "./throw-away-home.ts";

/**
 * Lets the real Codex work for a while, one prompt at a time: tools and a sub-agent. Then it works
 * as a server: an interrupted turn, a shell command, a compaction, a name, a fork, a turn taken
 * back.
 */
export async function generateCodex(binary: string, step: Step = everyStep): Promise<Generated> {
  const stub = await startModelStub(followScript(() => script));
  const home = createCodexHome(stub.url, "stub");
  writeNotes(home);
  const picture = writePicture(home);
  const typed = new TypedTexts(step);
  const folder = join(home.folder, ".codex");
  const options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  const canResume = (await home.run(binary, ["exec", "--help"])).stdout.includes("resume");
  let thread: string | undefined;
  const print = async (text: string, ...more: readonly string[]): Promise<void> => {
    const again = thread === undefined ? [] : ["resume", thread];
    await home.run(binary, ["exec", ...options, ...again, ...more, text]);
    if (canResume) thread ??= rolloutsIn(folder).map(threadIdOf)[0];
  };
  const { list, edit, plan, fail, delegate, thank } = prompts;
  for (const text of [list, edit, plan, fail, delegate]) await typed.type(text, () => print(text));
  await typed.type(prompts.look, () => print(prompts.look, "-i", picture, "--"));
  await typed.type(thank, () => print(thank));
  const forks = thread === undefined ? 0 : await serve(binary, home, thread, step, typed);
  return {
    folder,
    typed: typed.done,
    tried: typed.tried,
    sessions: 2 + forks,
    helpers: 1,
    remove: async () => {
      await stub.close();
      home.remove();
    },
  };
}

/** Continues a thread in the client's server. Returns the number of forks. */
async function serve(
  binary: string,
  home: ThrowAwayHome,
  threadId: string,
  step: Step,
  typed: TypedTexts,
): Promise<number> {
  const client = home.start(binary, ["app-server"], 600_000);
  const talk = talkTo(client);
  const call = callsOf(talk);
  const isServed = await step("app-server", async () => {
    await greet(talk, call);
    await call("thread/resume", { threadId, ...free });
  });
  let forks = 0;
  let last = "";
  if (isServed) {
    await typed.type(prompts.wait, async () => {
      const turn = turnStarted(await call("turn/start", turnOf(threadId, prompts.wait)));
      await untilCommandRuns(home, client);
      await ending(talk, threadId, call("turn/interrupt", { threadId, turnId: turn }));
    });
    await step("shell", () =>
      ending(talk, threadId, call("thread/shellCommand", { threadId, command: "echo shell" })),
    );
    await step("name", () => call("thread/name/set", { threadId, name: "Notes" }));
    await step("compaction", () =>
      ending(talk, threadId, call("thread/compact/start", { threadId })),
    );
    await typed.type(prompts.goOn, () => turn(talk, call, threadId, prompts.goOn));
    await step("fork", async () => {
      const { thread = null } = await call("thread/fork", { threadId, ...free });
      const id = String(isJsonObject(thread) ? thread["id"] : undefined);
      forks += 1;
      await typed.typeElsewhere(prompts.other, () => turn(talk, call, id, prompts.other));
    });
    await typed.type(prompts.read, async () => {
      last = await turn(talk, call, threadId, prompts.read);
    });
    await step("take back", () => takeBack(call, threadId, last));
    await typed.type(prompts.script, () => turn(talk, call, threadId, prompts.script));
  }
  await talk.end();
  return forks;
}

/** Commands run without approval. */
const free = { approvalPolicy: "never", sandbox: "danger-full-access" };

function turnOf(threadId: string, text: string): JsonObject {
  return { threadId, input: [{ type: "text", text }] };
}

function turnStarted({ turn = null }: JsonObject): string {
  return String(isJsonObject(turn) ? turn["id"] : undefined);
}

/** The id of a turn, once it has ended. */
async function turn(talk: Talk, call: Call, threadId: string, text: string): Promise<string> {
  return turnStarted(await ending(talk, threadId, call("turn/start", turnOf(threadId, text))));
}

/** Takes the last turn back, in the form of earlier servers and of later ones. */
function takeBack(call: Call, threadId: string, turnId: string): Promise<unknown> {
  return call("thread/rollback", { threadId, numTurns: 1 }).catch(() =>
    call("thread/revert", { threadId, beforeTurnId: turnId }),
  );
}

/** Makes a call that begins or ends a turn of the thread. Resolves when the turn has ended. */
async function ending(
  talk: Talk,
  threadId: string,
  call: Promise<JsonObject>,
): Promise<JsonObject> {
  const isEnd = ({ method, params = null }: JsonObject): boolean =>
    method === "turn/completed" && isJsonObject(params) && params["threadId"] === threadId;
  const [, answer] = await Promise.all([talk.hear(isEnd), call]);
  return answer;
}

const script: Script = {
  [prompts.list]: shell("ls -la"),
  [prompts.edit]: shell("sed -i s/second/2nd/ notes.txt"),
  [prompts.plan]: [["update_plan", { plan: [{ step: "Count", status: "in_progress" }] }]],
  [prompts.fail]: shell("cat missing.txt"),
  [prompts.delegate]: [
    ["multi_agent_v1.spawn_agent", { message: task }],
    ["spawn_agent", { message: task }],
    ...shell("wc -l notes.txt"),
  ],
  [prompts.wait]: shell(endlessCommand),
  [prompts.read]: shell("cat notes.txt"),
};

/** The tool that runs a command, under all its names. */
function shell(command: string): readonly [ScriptedCall, ...ScriptedCall[]] {
  return [
    ["exec_command", { cmd: command }],
    ["shell_command", { command }],
    ["shell", { command: ["bash", "-lc", command] }],
  ];
}
