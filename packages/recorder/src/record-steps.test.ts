import { partsOf } from "@pond/canonical";
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { recordSteps } from "../examples/record-steps.ts";
import { testRecorder } from "./testing.ts";

test("a provider's metadata is kept with the answer and with each of its parts", async () => {
  const signature = { anthropic: { signature: "EqQBCk" } };
  const redacted = { anthropic: { redactedData: "AAAA" } };
  const item = { openai: { itemId: "msg_1" } };
  const model = new MockLanguageModelV4({
    doGenerate: {
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: 1, reasoning: undefined },
      },
      warnings: [],
      content: [
        { type: "reasoning", text: "Hm.", providerMetadata: signature },
        { type: "reasoning", text: "", providerMetadata: redacted },
        { type: "text", text: "Hi.", providerMetadata: item },
        {
          type: "tool-call",
          toolCallId: "c",
          toolName: "look",
          input: "{}",
          providerMetadata: item,
        },
      ],
      providerMetadata: { anthropic: { cacheCreationInputTokens: 3 } },
    },
  });
  const loop = testRecorder().loop();
  const steps = recordSteps(loop);
  await generateText({ model, prompt: "Hi?", ...steps.callbacks });
  steps.check();

  const [answer] = loop.record.messages;
  const parts = answer ? partsOf(answer) : [];
  expect(parts.map(({ type, options }) => [type, options])).toEqual([
    ["reasoning", signature],
    ["reasoning", redacted],
    ["text", item],
    ["tool_call", item],
  ]);
  expect(answer?.options["source"]).toMatchObject({
    rest: { metadata: { providerMetadata: { anthropic: { cacheCreationInputTokens: 3 } } } },
  });
});
