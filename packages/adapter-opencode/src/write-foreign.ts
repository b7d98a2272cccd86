import type { JsonObject, Session } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";
import {
  familyOf,
  firstCharacters,
  Tally,
  titleOf,
  turnsOf,
  wellFormed,
  wellFormedJson,
} from "@pond/canonical/foreign";
import { messagesOf, type WrittenMessage } from "./foreign/messages.ts";
import { sessionId } from "./foreign/names.ts";
import { millisOf } from "./records/envelope.ts";

/**
 * Writes sessions of other clients as exports that this client imports: the conversation with
 * reasoning, every call with its answer, and images. Sub-agents name the session that started them;
 * forks become sessions of their own, as in the client itself.
 */
export function* writeForeign(
  lineage: Lineage,
  meanings: Meanings,
  parents: readonly NativeParent[] = [],
): Generator<RestoredFile> {
  // The client imports nothing that names another id.
  const named = parents.filter(({ session }) => session.id.startsWith("ses"));
  const { parentOf, nativePath } = familyOf(lineage, named);
  for (const content of [lineage.root, ...lineage.descendants]) {
    const { session } = content;
    const tally = new Tally();
    const id = idOf(session);
    const messages = messagesOf(turnsOf(content, meanings, tally), session, id, tally);
    const parent = parentOf(session);
    const parentId = parent && (nativePath(parent) === undefined ? idOf(parent) : parent.id);
    const info = infoOf(content, { id, parentId }, messages);
    yield {
      session: session.id,
      path: `pond/${id}.json`,
      content: { [Symbol.iterator]: () => pieces(info, messages) },
      fidelity: tally.fidelity(),
    };
  }
}

function idOf(session: Session): string {
  return sessionId(session.id, millisOf(session.created_at));
}

function* pieces(info: JsonObject, messages: readonly WrittenMessage[]): Generator<string> {
  yield `{\n  "info": ${wellFormedJson(info)},\n  "messages": [`;
  for (const [index, message] of messages.entries()) {
    yield `${index === 0 ? "" : ","}\n    ${wellFormedJson(message)}`;
  }
  yield "\n  ]\n}\n";
}

function infoOf(
  { session, messages: said }: SessionContent,
  { id, parentId }: { readonly id: string; readonly parentId: string | undefined },
  messages: readonly WrittenMessage[],
): JsonObject {
  const created = millisOf(session.created_at);
  const last = messages.at(-1)?.info["time"];
  const ends = typeof last === "object" && last !== null ? Object.values(last) : [];
  const updated = Math.max(created, ...ends.map((end) => (typeof end === "number" ? end : 0)));
  return {
    id,
    slug: id.slice(-14).toLowerCase(),
    projectID: "global",
    directory: wellFormed(session.project),
    path: "",
    ...(parentId !== undefined && { parentID: parentId }),
    title: titleOf(said)?.text ?? firstLine(session, messages),
    version,
    time: { created, updated },
  };
}

/** The first line that was typed, as the client would show it. */
function firstLine({ source_agent }: Session, messages: readonly WrittenMessage[]): string {
  for (const { info, parts } of messages) {
    const typed = parts.find((part) => part["type"] === "text" && part["synthetic"] !== true);
    const line = info["role"] === "user" ? String(typed?.["text"] ?? "").trim() : "";
    const [first = ""] = line.split("\n");
    const isLong = firstCharacters(first, 100) !== first;
    if (first !== "") return isLong ? `${firstCharacters(first, 99)}…` : first;
  }
  return `Session of ${source_agent}`;
}

/** The release whose form these files have. */
const version = "1.18.33";
