import { type JsonValue, stringifyJson } from "@pond/canonical";
import type { PartSummary, ShownMessage, WirePart } from "@pond/wire";
import type { GetReply } from "./get-reply.ts";
import type { Piece } from "./paging.ts";
import { quotedNotice, quoteLines, quoteValue } from "./quoted.ts";

/** A reply for a model to read: our own text unmarked, the session's text marked line by line. */
export function getText(reply: GetReply): string {
  const { session, piece, hint } = reply;
  const { id, source_agent: agent, project, created_at: at, parent_session_id: parent } = session;
  const above = parent === undefined ? "" : `, below session_id ${quoteValue(parent)}`;
  const messages =
    "messages" in reply
      ? reply.messages.map((message) => messageText(message))
      : [
          ...reply.before.map((message) => messageText(message)),
          messageText(reply.target, "the one asked for"),
          ...(piece === undefined ? [] : [pieceText(piece)]),
          ...reply.after.map((message) => messageText(message)),
        ];
  return [
    quotedNotice,
    `session_id ${quoteValue(id)}, ${quoteValue(agent)} in ${quoteValue(project)}, ${at}${above}`,
    ...messages,
    ...("messages" in reply && piece !== undefined ? [pieceText(piece)] : []),
    ...("context_cut" in reply ? [contextCutLine] : []),
    ...(hint === undefined ? [] : [hint]),
  ].join("\n\n");
}

const contextCutLine =
  "Only the nearest neighbours are shown; with a larger max_characters there are more.";

function messageText(message: ShownMessage, ...marks: readonly string[]): string {
  const { id, role, timestamp, text, content, parts_summary: parts } = message;
  const state = message.removed ? "no longer in its source" : message.revised && "revised since";
  const lost = message.damaged ? ["its parts are lost"] : [];
  const said = [role, timestamp, ...(state ? [state] : []), ...lost, ...marks];
  return [
    `message_id ${quoteValue(id)}, ${said.join(", ")}`,
    ...(text === undefined ? [] : [quoteLines(text)]),
    ...(parts?.some((part) => !isSaid(part)) ? [summaryText(parts)] : []),
    ...(typeof content === "string" ? [quoteLines(content)] : (content ?? []).map(partText)),
  ].join("\n");
}

/** True for content that is shown above the summary. */
function isSaid({ type, provenance }: PartSummary): boolean {
  return type === "text" && provenance === "conversational";
}

function partText(part: WirePart): string {
  const { id, type, provenance } = part;
  const isTextual = part.type === "text" || part.type === "reasoning";
  // Wire types are JSON; TypeScript cannot see it through their optional fields.
  const text = isTextual ? part.text : stringifyJson(part as unknown as JsonValue);
  return `part ${quoteValue(id)}, ${type}, ${provenance}\n${quoteLines(text)}`;
}

function summaryText(parts: readonly PartSummary[]): string {
  const each = parts.map(({ type, provenance, name, bytes }) => {
    const what = type === "text" && provenance === "injected" ? "injected text" : type;
    return [what, ...(name === undefined ? [] : [quoteValue(name)]), `${bytes} bytes`].join(" ");
  });
  return `holds ${each.join("; ")}`;
}

function pieceText({ id, text, beside, from, until, of, is_json: isJson }: Piece): string {
  const what = isJson ? "of its JSON" : "of its text";
  return [
    `${quoteValue(id)}, characters ${from} to ${until} of ${of} ${what}`,
    // Wire types are JSON; TypeScript cannot see it through their optional fields.
    ...(beside === undefined ? [] : [quoteLines(stringifyJson(beside as JsonValue))]),
    quoteLines(text),
  ].join("\n");
}
