import {
  type JsonObject,
  type Message,
  messageFromWire,
  type Part,
  partsOf,
  type Session,
  sessionFromWire,
} from "@pond/canonical";
import type { Course, RecordRules } from "@pond/canonical/adapter";

/**
 * A message in short form: its text, and what its reader noted in `options.source`. With the role
 * `system` it has no text, but carries a record; with `harness` it is in the user's place, and no
 * human typed it. Default: typed.
 */
export type DraftMessage = readonly [
  id: string,
  text: string,
  source: JsonObject,
  role?: "assistant" | "harness" | "system" | "user",
];

/** The message that a draft stands for. */
export function draftMessage([id, text, source, role = "user"]: DraftMessage): Message {
  const isHarness = role === "harness";
  const place = { id, session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
  const given = { ...place, role: isHarness ? "user" : role, options: { source } };
  if (role === "system") return messageFromWire({ ...given, content: "" });
  const provenance = isHarness ? "injected" : "conversational";
  const part = { id: "0", session_id: "s", message_id: id, provenance, type: "text", text };
  return messageFromWire({ ...given, content: [{ ...part, options: {} }] });
}

const anySession: Session = sessionFromWire({
  id: "s",
  source_agent: "a-client-of-no-adapter",
  created_at: "2026-03-01T09:00:00.000Z",
  project: "/home/ada",
  options: {},
});

/**
 * What a client's rules say is live and undone in a session.
 *
 * @throws {Error} if there is no such rule, or it loses, doubles or moves a part.
 */
export function courseOf(
  { course: splitCourse }: RecordRules,
  messages: readonly Message[],
  session: Session = anySession,
): Course {
  if (splitCourse === undefined) throw new Error("the rules say nothing of a course");
  const course = splitCourse({ session, messages });
  const all = messages.flatMap(piecesOf);
  const live = new Set(course.live.flatMap(piecesOf));
  const allPieces = [...course.live, ...course.undone].flatMap(piecesOf);
  const listed = new Set(allPieces);
  if (allPieces.length !== all.length || !all.every((piece) => listed.has(piece))) {
    throw new Error("the course is not all that there was, each once");
  }
  const inOrder = all.filter((piece) => live.has(piece));
  if ([...live].some((piece, index) => piece !== inOrder[index])) {
    throw new Error("what is live is not in its order");
  }
  return course;
}

/** Ids of what is live of these messages, in order, with spaces between. */
export function liveIds(rules: RecordRules, ...drafts: readonly DraftMessage[]): string {
  const { live } = courseOf(rules, drafts.map(draftMessage));
  return live.map(({ id }) => id).join(" ");
}

/** A message may be cut in two between its parts. */
function piecesOf(message: Message): readonly (Message | Part)[] {
  const parts = partsOf(message);
  return parts.length === 0 ? [message] : parts;
}
