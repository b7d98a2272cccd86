import {
  isJsonObject,
  type JsonValue,
  messageFromWire,
  sessionFromWire,
  toRfc3339,
} from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import fc from "fast-check";
import { type MessageDraft, messageDrafts } from "./messages.ts";
import { markPlace, project, sessionName } from "./texts.ts";

type SessionDraft = {
  readonly name: string;
  readonly project: string;
  /** How it relates to the session above it, and which of the earlier ones that is. */
  readonly relation: "agent" | "fork" | "fork at a message";
  readonly parent: number;
  readonly messages: readonly MessageDraft[];
  /** Seconds from each message to the next; a clock may also go back. */
  readonly steps: readonly number[];
};

const sessionDraft: fc.Arbitrary<SessionDraft> = fc.record({
  name: sessionName,
  project,
  relation: fc.constantFrom("agent", "agent", "fork", "fork at a message"),
  parent: fc.nat({ max: 3 }),
  messages: messageDrafts,
  steps: fc.array(fc.constantFrom(1, 1, 0, 60, -5), { minLength: 8, maxLength: 8 }),
});

/**
 * Any session of no known client, with the sessions below it: every role, part type and provenance;
 * odd Unicode and lone surrogates; numbers past a double; empty texts; calls that are unanswered,
 * answered twice or share an id; children of children, and forks; ids that should not be file
 * names. Every visible text holds a mark of its own, such as `mark12.`.
 */
export function arbitraryLineage(): fc.Arbitrary<Lineage> {
  return fc.array(sessionDraft, { minLength: 1, maxLength: 4 }).map(toLineage);
}

function toLineage(drafts: readonly SessionDraft[]): Lineage {
  let count = 0;
  const nextMark = (): string => `mark${++count}.`;
  const contents: SessionContent[] = [];
  for (const draft of drafts) {
    const parent = contents[Math.min(draft.parent, contents.length - 1)];
    contents.push(toContent(draft, contents.length, parent, nextMark));
  }
  const [root, ...descendants] = contents;
  if (root === undefined) throw new TypeError("a lineage has a root");
  return { root, descendants };
}

function toContent(
  draft: SessionDraft,
  index: number,
  parent: SessionContent | undefined,
  nextMark: () => string,
): SessionContent {
  const id = index === 0 ? draft.name : `${draft.name} ${index}`;
  const cutPoint = draft.relation === "fork at a message" ? parent?.messages.at(-1)?.id : undefined;
  const isOpenFork = draft.relation !== "agent" && cutPoint === undefined;
  let micros = BigInt(Date.parse("2026-03-01T09:00:00.000Z")) * 1000n + 250n;
  const session = sessionFromWire({
    id,
    ...(parent && { parent_session_id: parent.session.id }),
    ...(cutPoint !== undefined && { parent_message_id: cutPoint }),
    source_agent: "a-client-of-no-adapter",
    created_at: toRfc3339(micros),
    project: draft.project,
    options: isOpenFork ? { source: { relation: "fork" } } : {},
  });
  const messages = draft.messages.map(({ role, content }, at) => {
    micros += BigInt(draft.steps[at] ?? 1) * 1_000_000n;
    const ids = { session_id: id, message_id: `m ${at}/..`, options: {} };
    const { message_id, ...header } = { ...ids, id: ids.message_id, role };
    const parts =
      typeof content === "string"
        ? content
        : content.map((part, position) => ({ ...part, ...ids, id: String(position) }));
    const marked = withMarks(parts, nextMark);
    return messageFromWire({ ...header, timestamp: toRfc3339(micros), content: marked });
  });
  return { session, messages };
}

/** The value with a mark of its own at every place for one. */
function withMarks(value: JsonValue, nextMark: () => string): JsonValue {
  if (typeof value === "string") return value.replaceAll(markPlace, nextMark);
  if (Array.isArray(value)) return value.map((each: JsonValue) => withMarks(each, nextMark));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withMarks(member, nextMark)]),
  );
}
