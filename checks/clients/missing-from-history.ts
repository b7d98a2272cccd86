import { type Message, messageOf, type Part, partsOf, type ToolResultPart } from "@pond/canonical";
import type { Origin, SessionContent } from "@pond/canonical/adapter";
import { CallIds, fileBytesOf, resultBlocks } from "@pond/canonical/foreign";
import { activeMessages } from "../pairs/session-texts.ts";
import { HistoryCursor } from "./history-cursor.ts";
import type { HistoryItem } from "./model-history.ts";
import { isSameCall } from "./same-call.ts";

/**
 * Everything that a session holds but a model does not hear, one sentence each. The model has to
 * hear every text that people and models said and did not take back, every call in order, every
 * answer with its call, and every image. Within one message, a client may put calls after texts.
 */
export function missingFromHistory(
  content: SessionContent,
  history: readonly HistoryItem[],
  target: Origin,
): string[] {
  const { session } = content;
  const messages = activeMessages(content);
  const answers = answersOf(messages.flatMap(partsOf));
  const cursor = new HistoryCursor(history);
  return messages.flatMap((message) => {
    const [said, called] = [cursor.copy(), cursor.copy()];
    const lost = partsOf(message).flatMap((part) => {
      if (part.type !== "tool_call")
        return isInHistory(part, said) ? [] : [`not said: ${shorten(part)}`];
      const call = called.seek((each, from) => endOfCall(each, part.call_id, from));
      if (call?.type !== "call") return [`not called: ${part.name} ${part.call_id}`];
      const answer = answers.get(part.call_id)?.shift();
      return [
        ...(isSameCall(session.source_agent, part, target, call)
          ? []
          : [`called otherwise: ${shorten([part.name, part.params])} is ${shorten(call)}`]),
        ...(answer ? answerDifferences(answer, history.slice(called.item), call.id) : []),
      ];
    });
    cursor.catchUp(said);
    cursor.catchUp(called);
    return lost;
  });
}

/** True if the part was said. Also true for a part that the model need not hear. */
function isInHistory(part: Part, cursor: HistoryCursor): boolean {
  if (part.provenance !== "conversational") return true;
  if (part.type === "text") {
    const text = part.text.toWellFormed().trim();
    return text === "" || cursor.seek((each, from) => endOfText(each, text, from)) !== undefined;
  }
  return !isImage(part) || cursor.seek(endOfImage) !== undefined;
}

/** A session without its calls, for a client that shows no history of calls. */
export function withoutCalls({ session, messages }: SessionContent): SessionContent {
  const said = messages.map(
    (message): Message =>
      message.role === "user" || message.role === "assistant"
        ? messageOf(
            message,
            message.content.filter(({ type }) => type === "text"),
          )
        : message,
  );
  return { session, messages: said };
}

/** Images that a model can be given. An image that is elsewhere has no bytes here. */
function isImage(part: Part): boolean {
  return (
    part.type === "file" &&
    /^image\/(png|jpeg|gif|webp)$/.test(part.media_type) &&
    fileBytesOf(part) !== undefined
  );
}

function endOfText(each: HistoryItem, text: string, from: number): number | undefined {
  const at = each.type === "text" ? each.text.indexOf(text, from) : -1;
  return at < 0 ? undefined : at + text.length;
}

function endOfImage(each: HistoryItem, from: number): number | undefined {
  return each.type === "image" && from === 0 ? 1 : undefined;
}

function endOfCall(each: HistoryItem, id: string, from: number): number | undefined {
  return each.type === "call" && from === 0 && isSameId(each.id, id) ? 1 : undefined;
}

/** Results by call, in the order in which they came. */
function answersOf(parts: readonly { readonly type: string }[]): Map<string, ToolResultPart[]> {
  const results = parts.filter((part): part is ToolResultPart => part.type === "tool_result");
  return Map.groupBy(results, ({ call_id }) => call_id);
}

/** An id may use another alphabet or be shortened, and gets a number if it is used twice. */
function isSameId(historyId: string, id: string): boolean {
  const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, "");
  const isBegin = (each: string): boolean =>
    plain(historyId).startsWith(plain(each)) || plain(each).startsWith(plain(historyId));
  return id === historyId || isBegin(id) || isBegin(new CallIds().next(id));
}

function answerDifferences(
  { call_id, result, is_failure }: ToolResultPart,
  history: readonly HistoryItem[],
  id: string,
): string[] {
  const answer = history.find((each) => each.type === "result" && each.id === id);
  if (answer?.type !== "result") return [`not answered: ${call_id}`];
  const texts = resultBlocks(result).blocks.flatMap((block) =>
    block.type === "text" ? [block.text.toWellFormed().trim()] : [],
  );
  const lost = texts.filter((text) => !answer.text.includes(text));
  const flags = { own: is_failure, heard: answer.isFailure ?? is_failure };
  return [
    ...lost.map((text) => `answered otherwise: ${call_id}: ${shorten(text)}`),
    ...(flags.own === flags.heard ? [] : [`${call_id} failed: ${flags.own}, now ${flags.heard}`]),
  ];
}

function shorten(value: object | string): string {
  return JSON.stringify(value).slice(0, 300);
}
