import type { GetResponse, MessageView, SessionPage, ShownMessage, WirePart } from "@pond/wire";
import { beginningOf, lengthOf } from "./cut.ts";
import { type Next, type PageRequest, type Piece, pageOf, type TextItem } from "./paging.ts";
import { quoteValue, structuredNotice } from "./quoted.ts";

type Session = SessionPage["session"];
/** The content of a message: its parts, or the one text of a system message. */
type Content = WirePart | { readonly id: string; readonly type: "text"; readonly text: string };

type Additions = {
  readonly notice: string;
  readonly piece?: Piece;
  readonly next?: Next;
  /** What follows, and how to ask for it. */
  readonly hint?: string;
};
type SessionReply = SessionPage & Additions;
type MessageReply = MessageView & Additions;
export type GetReply = SessionReply | MessageReply;

const maxOptionsChars = 500;
const maxProjectChars = 300;
/** The part of a neighbour's text that is shown. */
const maxNeighbourChars = 400;

/**
 * A page of about `maxCharacters`. What does not fit is left to the next page, or shown in pieces.
 */
export function fitGetReply(response: GetResponse, request: PageRequest): GetReply {
  return "messages" in response ? fitSession(response, request) : fitMessage(response, request);
}

function fitSession(response: SessionPage, request: PageRequest): SessionReply {
  const reply = { notice: structuredNotice, ...response, session: briefSession(response.session) };
  return request.isFromEnd ? fitEnd(reply, request) : fitBeginning(reply, request);
}

/** The messages that come last, and how to read back from them. */
function fitEnd(reply: SessionPage & Additions, request: PageRequest): SessionReply {
  const { messages, messages_before = 0 } = reply;
  const more = "earlier message(s) come before";
  const room = request.maxCharacters - lengthOf({ ...reply, hint: more, messages: [] });
  const { shown, remaining, ...rest } = pageOf(messages.toReversed(), request, room, {
    beyond: messages_before,
    textOf: textOfShown,
  });
  const page = { ...reply, messages: shown.toReversed(), ...rest };
  const hint = hintOf(rest, remaining, more);
  return { ...page, ...(remaining > 0 && { messages_before: remaining }), ...hint };
}

function fitBeginning(response: SessionPage & Additions, request: PageRequest): SessionReply {
  const last_id = response.last_id ?? response.messages.at(-1)?.id;
  const end = last_id === undefined ? {} : { last_id };
  const more = `newer message(s) follow, the last with "message_id": ${quoteValue(last_id ?? "")}`;
  const around = { ...response, ...end, hint: more, messages: [] };
  const room = request.maxCharacters - lengthOf(around);
  const { shown, remaining, ...rest } = pageOf(response.messages, request, room, {
    beyond: response.messages_remaining,
    textOf: textOfShown,
  });
  const hint = hintOf(rest, remaining, more);
  const page = { ...response, messages: shown, messages_remaining: remaining, ...rest, ...hint };
  return remaining === 0 ? page : { ...page, ...end };
}

function textOfShown({ id, text, content, ...beside }: ShownMessage): TextItem | undefined {
  const own = text ?? content;
  return typeof own === "string" ? { text: own, beside } : undefined;
}

function fitMessage(response: MessageView, request: PageRequest): MessageReply {
  const { content = [], options, ...target } = response.target;
  const isFirst = request.after_id === undefined && request.offset === 0;
  const reply = {
    notice: structuredNotice,
    ...response,
    session: briefSession(response.session),
    // Whoever pages through a message has seen its neighbours.
    before: isFirst ? response.before.map(briefNeighbour) : [],
    after: isFirst ? response.after.map(briefNeighbour) : [],
    target: { ...target, options: briefOptions(options ?? {}) },
  };
  const around = trimNeighbours(reply, request.maxCharacters / 2);
  const room = request.maxCharacters - lengthOf(around);
  const isText = typeof content === "string";
  const items: readonly Content[] = isText
    ? [{ id: target.id, type: "text", text: content }]
    : content;
  const { shown, remaining, ...rest } = pageOf(items, request, room, {
    beyond: response.target_parts_remaining,
    textOf: (part) => {
      if (part.type !== "text" && part.type !== "reasoning") return undefined;
      const { id, text, ...beside } = part;
      return { text, beside };
    },
  });
  const page = {
    ...around,
    target: { ...around.target, content: contentOf(content, shown.length) },
    target_parts_remaining: remaining,
  };
  return { ...page, ...rest, ...hintOf(rest, remaining, "more part(s) of it follow") };
}

function contentOf(
  content: string | readonly WirePart[],
  shown: number,
): string | readonly WirePart[] {
  if (typeof content !== "string") return content.slice(0, shown);
  return shown > 0 ? content : "";
}

/** Removes neighbours, the farthest first, until the reply is short enough. */
function trimNeighbours<T extends Pick<MessageView, "before" | "after">>(
  reply: T,
  maxCharacters: number,
): T {
  let { before, after } = reply;
  while (before.length + after.length > 0) {
    if (lengthOf({ ...reply, before, after }) <= maxCharacters) break;
    if (after.length >= before.length) after = after.slice(0, -1);
    else before = before.slice(1);
  }
  const isCut = before.length + after.length < reply.before.length + reply.after.length;
  return { ...reply, before, after, ...(isCut && { context_cut: true }) };
}

function hintOf(
  { next, piece }: { readonly next?: Next; readonly piece?: Piece },
  remaining: number,
  more: string,
): Pick<Additions, "hint"> {
  const lines = [
    ...(piece === undefined
      ? []
      : [`Characters ${piece.from} to ${piece.until} of ${piece.of} of ${quoteValue(piece.id)}.`]),
    ...(remaining === 0 ? [] : [`${remaining} ${more}.`]),
    ...(next === undefined ? [] : [`To read on, repeat the call with ${nextText(next, piece)}.`]),
  ];
  return lines.length === 0 ? {} : { hint: lines.join(" ") };
}

function nextText({ after_id, before_id, offset }: Next, piece: Piece | undefined): string {
  const fields = [
    ...(after_id === undefined ? [] : [`"after_id": ${quoteValue(after_id)}`]),
    ...(before_id === undefined ? [] : [`"before_id": ${quoteValue(before_id)}`]),
    ...(offset === undefined ? [] : [`"offset": ${offset}`]),
  ].join(" and ");
  // With that of the last piece, the beginning of the next item would be skipped.
  return offset === undefined && (piece?.from ?? 0) > 0 ? `${fields} and without "offset"` : fields;
}

function briefSession(session: Session): Session {
  const { options, project } = session;
  return {
    ...session,
    project: beginningOf(project, maxProjectChars),
    options: briefOptions(options),
  };
}

/** What a client keeps besides the conversation can be anything, of any size. */
function briefOptions<T extends object>(options: T): T | Record<string, never> {
  return lengthOf(options) <= maxOptionsChars ? options : {};
}

function briefNeighbour(message: ShownMessage): ShownMessage {
  const { text } = message;
  return text === undefined ? message : { ...message, text: beginningOf(text, maxNeighbourChars) };
}
