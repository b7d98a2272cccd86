import type { Part, ReadEvent, Session, SessionId } from "@pond/canonical";
import { EventValidator, type Message, type MessageHeader, messageOf } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";

/**
 * The session that events make; faults and pending records are left out.
 *
 * @throws {ValidationError} if an event is wrong or in the wrong place.
 * @throws {TypeError} if no event is a session.
 */
export function contentOf(events: Iterable<ReadEvent>): SessionContent {
  const validator = new EventValidator();
  const messages: { readonly header: MessageHeader; readonly parts: Part[] }[] = [];
  let session: Session | undefined;
  for (const event of events) {
    if (event.kind === "fault" || event.kind === "pending") continue;
    validator.accept(event);
    if (event.kind === "session") session = event.session;
    else if (event.kind === "message") messages.push({ header: event.message, parts: [] });
    else messages.at(-1)?.parts.push(event.part);
  }
  if (session === undefined) throw new TypeError("the events hold no session");
  return {
    session,
    messages: messages.map(({ header, parts }): Message => messageOf(header, parts)),
  };
}

/** Sessions with those below them. A session whose parent is missing is a root. */
export function lineagesOf(contents: readonly SessionContent[]): readonly Lineage[] {
  const ids = new Set(contents.map(({ session }) => session.id));
  return contents
    .filter(({ session }) => !session.parent_session_id || !ids.has(session.parent_session_id))
    .map((root) => ({ root, descendants: descendantsOf(root.session.id, contents) }));
}

function descendantsOf(id: SessionId, contents: readonly SessionContent[]): SessionContent[] {
  const children = contents.filter(({ session }) => session.parent_session_id === id);
  return children.flatMap((child) => [child, ...descendantsOf(child.session.id, contents)]);
}
