// Models that follow a script, so that the example needs no provider.
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";

type Reply = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Content = Reply["content"][number];

const text = (value: string): Content => ({ type: "text", text: value });
const call = (toolCallId: string, toolName: string, input: object): Content => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

const usage: Reply["usage"] = {
  inputTokens: { total: 12, noCache: 12, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 8, text: 8, reasoning: undefined },
};

function reply(...content: Content[]): Reply {
  const isCall = content.some(({ type }) => type === "tool-call");
  const unified = isCall ? "tool-calls" : "stop";
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
}

/** Reads a file that exists and one that does not, asks the explorer, and answers. */
export function scriptedWeaver(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: "loomworks",
    modelId: "weaver-1",
    doGenerate: [
      reply(
        { type: "reasoning", text: "A step of three smells like a modulus." },
        text("I will read the loom's program first."),
        call("call-read", "read", { path: "loom.py" }),
        call("call-missing", "read", { path: "shuttle.py" }),
      ),
      reply(
        text("The modulus is wrong. Somebody should look for other places."),
        call("call-explore", "explore", { task: "Find every other modulus." }),
      ),
      reply(text("Fixed: thread % 3 skipped every third thread, and nothing else does.")),
      reply(text("You are welcome.")),
    ],
  });
}

export function scriptedExplorer(): MockLanguageModelV4 {
  const id = "0";
  return new MockLanguageModelV4({
    provider: "loomworks",
    modelId: "explorer-1",
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id },
          { type: "text-delta", id, delta: "There is no other modulus " },
          { type: "text-delta", id, delta: "in this program." },
          { type: "text-end", id },
          { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage },
        ],
      }),
    },
  });
}
