import type { JsonObject, Message } from "@pond/canonical";
import {
  type AssistantPart,
  type AssistantTurn,
  asTranslated,
  type Call,
  type ContextPart,
  type ContextTurn,
  fileNote,
  hasVisibleText,
  resultText,
  type Tally,
  type Turn,
  type UserTurn,
  wellFormed,
} from "@pond/canonical/foreign";
import { callItems } from "./calls.ts";
import { textElement, writeFile, writeText } from "./content.ts";

/** An item of the conversation, and the events that show it on the screen. */
export type Item = {
  readonly message: Message;
  readonly item: JsonObject;
  readonly events: readonly JsonObject[];
  /** True for what a human typed; it begins a turn of the client. */
  readonly isPrompt: boolean;
};

/** A turn as items of the API: every call is followed by its output. */
export function* itemsOf(turn: Turn, tally: Tally): Generator<Item> {
  switch (turn.kind) {
    case "context":
      return yield* contextItems(turn, tally);
    case "user":
      return yield* userItems(turn, tally);
    case "assistant":
      return yield* assistantItems(turn, tally);
  }
}

/** Written in the role of instructions, which is never taken for a human's words. */
function* contextItems({ message, parts }: ContextTurn, tally: Tally): Generator<Item> {
  const content = parts.flatMap((part) => contextElements(part, tally));
  if (content.length === 0) return;
  const item = { type: "message", role: "developer", content };
  yield { message, item, events: [], isPrompt: false };
}

function contextElements(part: ContextPart, tally: Tally): JsonObject[] {
  switch (part.type) {
    case "system":
    case "text":
      return tally.take(part.type, asTranslated(writeText(part.text)));
    case "orphan":
      // The API would refuse an output that no call waits for. So its text is kept, and its other
      // content is named.
      return tally.take("tool_result", asTranslated(writeText(resultText(part.part))));
    case "file": {
      // Instructions are text only.
      tally.count("file", "dropped");
      return [textElement(fileNote(part))];
    }
  }
}

function* userItems({ message, parts }: UserTurn, tally: Tally): Generator<Item> {
  const content = parts.flatMap((part) =>
    tally.take(part.type, part.type === "text" ? writeText(part.text) : writeFile(part)),
  );
  if (content.length === 0) return;
  const texts = content.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const images = content.flatMap(({ image_url }) => image_url ?? []);
  const event = {
    type: "user_message",
    message: texts.join("\n"),
    images,
    local_images: [],
    text_elements: [],
  };
  const item = { type: "message", role: "user", content };
  yield { message, item, events: [event], isPrompt: true };
}

function* assistantItems({ message, parts }: AssistantTurn, tally: Tally): Generator<Item> {
  for (const part of parts) {
    if (part.type !== "call") {
      const written = assistantItem(part, tally);
      if (written) yield { message, ...written, isPrompt: false };
      continue;
    }
    const { call, output } = callItems(part, tally);
    const answer = part.result?.message ?? message;
    yield { message, item: call, events: [], isPrompt: false };
    yield { message: answer, item: output, events: [], isPrompt: false };
  }
}

type AssistantItem = Pick<Item, "item" | "events">;

function assistantItem(
  part: Exclude<AssistantPart, Call>,
  tally: Tally,
): AssistantItem | undefined {
  const text = part.type === "file" ? fileNote(part) : part.text;
  const isVisible = hasVisibleText(text);
  tally.count(part.type, isVisible && part.type !== "file" ? "kept" : "dropped");
  if (!isVisible) return undefined;
  // Without the encrypted form of a thought, which only its own provider could read.
  return part.type === "reasoning"
    ? reasoningItem(wellFormed(text))
    : messageItem(wellFormed(text));
}

function messageItem(text: string): AssistantItem {
  const content = [{ type: "output_text", text }];
  return {
    item: { type: "message", role: "assistant", content },
    events: [{ type: "agent_message", message: text }],
  };
}

function reasoningItem(text: string): AssistantItem {
  return {
    item: { type: "reasoning", summary: [{ type: "summary_text", text }] },
    events: [{ type: "agent_reasoning", text }],
  };
}
