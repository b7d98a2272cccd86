// An agent of the AI SDK whose sessions pond keeps: a loop with tools, one of which asks a
// sub-agent.
import type { LoopHandle, Recorder } from "@pond/recorder";
import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, tool } from "ai";
import { recordSteps } from "./record-steps.ts";

export type Weaver = {
  readonly recorder: Recorder;
  /** The models of the agent and of its sub-agent. */
  readonly models: { readonly main: LanguageModel; readonly explorer: LanguageModel };
  /** The files that the agent may read. */
  readonly files: ReadonlyMap<string, string>;
};

/** Answers a prompt. Each prompt is a loop of the current session. */
export async function ask(weaver: Weaver, prompt: string): Promise<string> {
  return weaver.recorder.run({ metadata: { sdk: "ai" } }, async (loop) => {
    const steps = recordSteps(loop);
    loop.say({ role: "user", content: prompt });
    const { text } = await generateText({
      model: weaver.models.main,
      prompt,
      tools: toolsOf(weaver, loop),
      stopWhen: isStepCount(8),
      ...steps.callbacks,
    });
    steps.check();
    return text;
  });
}

function toolsOf(weaver: Weaver, loop: LoopHandle) {
  const fields = (name: string) =>
    jsonSchema<Record<string, string>>({
      type: "object",
      properties: { [name]: { type: "string" } },
      required: [name],
    });
  return {
    read: tool({
      description: "Reads a file.",
      inputSchema: fields("path"),
      execute: ({ path = "" }) => {
        const text = weaver.files.get(path);
        if (text === undefined) throw new Error(`there is no file ${path}`);
        return text;
      },
    }),
    explore: tool({
      description: "Asks another agent to look around.",
      inputSchema: fields("task"),
      execute: ({ task = "" }, { toolCallId }) => explore(weaver, loop, task, toolCallId),
    }),
  };
}

/** The sub-agent: a session of its own, which names the call that spawned it. */
async function explore(
  { models, files }: Weaver,
  parent: LoopHandle,
  task: string,
  callId: string,
): Promise<string> {
  const loop = parent.spawn({ call_id: callId, name: "explore" }, { agentId: "explorer" });
  const steps = recordSteps(loop);
  const prompt = `${task}\n\n${[...files.keys()].join("\n")}`;
  loop.say({ role: "user", content: prompt });
  const { text } = streamText({ model: models.explorer, prompt, ...steps.callbacks });
  const answer = await text;
  steps.check();
  loop.end();
  return answer;
}
