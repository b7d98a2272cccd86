import type { JsonValue } from "@pond/canonical";
import fc from "fast-check";
import { call, result } from "./json-values.ts";
import { anyText } from "./texts.ts";

/** A message without ids and time, with its parts as on the wire. */
export type MessageDraft = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly PartDraft[];
};

type PartDraft = { readonly [key: string]: JsonValue };

const provenance = fc.constantFrom("conversational", "conversational", "injected");

// Only a few, so that some calls are answered, some twice, some never, and some ids repeat.
const callId = fc.constantFrom("call-1", "call-2", "call-2", "call_3_2", "odd id/π", "", "\ud800");

const text = fc.record({ type: fc.constant("text"), provenance, text: anyText });

const reasoning = fc.record({ type: fc.constant("reasoning"), provenance, text: anyText });

const file = fc.record({
  type: fc.constant("file"),
  provenance,
  media_type: fc.constantFrom("image/png", "text/plain", "application/pdf", "odd", ""),
  data: fc.constantFrom(
    { type: "bytes", base64: "iVBORw0KGgo=" },
    { type: "bytes", base64: "" },
    { type: "base64", text: "not base64!" },
    { type: "url", url: "https://example.com/thread.png" },
    { type: "url", url: "data:image/png;base64,iVBORw0KGgo=" },
  ),
});

const namedFile = fc
  .tuple(file, fc.constantFrom("thread.png", "../../x", ""))
  .map(([unnamed, file_name]) => ({ ...unnamed, file_name }));

const toolCall = fc
  .record({ type: fc.constant("tool_call"), provenance, call_id: callId, call, mine: fc.boolean() })
  .map(({ call, mine, ...part }) => ({ ...part, ...call, provider_executed: mine }));

const toolResult = fc.record({
  type: fc.constant("tool_result"),
  provenance: fc.constant("injected"),
  call_id: callId,
  is_failure: fc.boolean(),
  result,
});

const namedResult = toolResult.map((part) => ({ ...part, name: "read_file" }));

const request = fc.record({
  type: fc.constant("tool_approval_request"),
  provenance,
  approval_id: fc.constant("approval-1"),
  tool_call_id: callId,
});

const response = fc.record({
  type: fc.constant("tool_approval_response"),
  provenance,
  approval_id: fc.constant("approval-1"),
  approved: fc.boolean(),
});

/** A call and its answer, as in most sessions. */
const exchange: fc.Arbitrary<readonly MessageDraft[]> = fc
  .tuple(
    fc.array(text, { maxLength: 1 }),
    fc.array(fc.tuple(toolCall, toolResult), { minLength: 1, maxLength: 3 }),
  )
  .map(([said, calls]) => [
    { role: "assistant", content: [...said, ...calls.map(([call]) => call)] },
    { role: "tool", content: calls.map(([{ call_id }, answer]) => ({ ...answer, call_id })) },
  ]);

/** Any message: every role with none, one or a few parts of every type that it may hold. */
const messageDraft: fc.Arbitrary<MessageDraft> = fc.oneof(
  { weight: 1, arbitrary: ofSystem(anyText) },
  { weight: 3, arbitrary: of("user", text, text, file, namedFile) },
  {
    weight: 4,
    arbitrary: of("assistant", text, reasoning, toolCall, toolCall, file, toolResult, request),
  },
  { weight: 4, arbitrary: of("tool", toolResult, namedResult, response) },
);

/** The messages of a session. */
export const messageDrafts: fc.Arbitrary<readonly MessageDraft[]> = fc
  .array(
    fc.oneof(
      messageDraft.map((one) => [one]),
      exchange,
    ),
    { maxLength: 7 },
  )
  .map((drafts) => drafts.flat());

function ofSystem(content: fc.Arbitrary<string>): fc.Arbitrary<MessageDraft> {
  return content.map((text) => ({ role: "system", content: text }));
}

function of(
  role: MessageDraft["role"],
  ...parts: readonly fc.Arbitrary<PartDraft>[]
): fc.Arbitrary<MessageDraft> {
  return fc.array(fc.oneof(...parts), { maxLength: 3 }).map((content) => ({ role, content }));
}
