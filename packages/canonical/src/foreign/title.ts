import type { JsonObject, JsonValue } from "../json.ts";
import type { Message } from "../message.ts";
import { carriedRecord, objectAt, sourceOf } from "../seam/source-options.ts";

/** The title of a session in its client. */
export type SessionTitle = {
  readonly text: string;
  /** True if a person chose it; false if the client made it up, or does not say. */
  readonly isChosen: boolean;
};

/** Every message that says a title has one of these fields in its options. */
export const titleFields: readonly string[] = [
  '"titleField"',
  '"customTitle"',
  '"aiTitle"',
  '"thread_name_updated"',
  '"session_info"',
  '"title"',
];

/**
 * The title of a session as its client shows it: the last one that a person chose, else the last
 * one that the client made up. Undefined if there is none, or if it was taken back.
 *
 * @param messages - The session's, in order. Messages without {@link titleFields} may be left out.
 */
export function titleOf(messages: Iterable<Pick<Message, "options">>): SessionTitle | undefined {
  let [chosen, generated] = ["", ""];
  for (const message of messages) {
    const title = titleIn(message);
    if (title?.isChosen) chosen = title.text;
    else if (title) generated = title.text;
  }
  if (chosen !== "") return { text: chosen, isChosen: true };
  return generated === "" ? undefined : { text: generated, isChosen: false };
}

/** What one record says about the title. An empty text takes back what was said before. */
function titleIn(message: Pick<Message, "options">): SessionTitle | undefined {
  const record = carriedRecord(message);
  if (record === undefined) return undefined;
  const source = sourceOf(message);
  const { titleField, isTitleChosen } = source;
  // A reader marks the record with the name of the field that says the title.
  return typeof titleField === "string"
    ? { text: textOf(record[titleField]), isChosen: isTitleChosen === true }
    : unmarkedTitle(record, source);
}

/** The same for sessions that were stored before readers left that mark. */
function unmarkedTitle(record: JsonObject, source: JsonObject): SessionTitle | undefined {
  switch (record["type"]) {
    // Claude Code
    case "custom-title":
      return { text: textOf(record["customTitle"]), isChosen: true };
    case "ai-title":
      return { text: textOf(record["aiTitle"]), isChosen: false };
    // Codex
    case "event_msg":
      return threadName(objectAt(record, "payload"));
    // pi
    case "session_info":
      return { text: textOf(record["name"]), isChosen: true };
    // omp
    case "session":
      return headerTitle(record, objectAt(source, "title"));
    // What opencode knows about a session has no type; a session continued in 2.x has it twice.
    case undefined:
      return rowTitle(objectAt(source, "continued")) ?? rowTitle(record);
    default:
      return undefined;
  }
}

function threadName({ type, thread_name: name }: JsonObject): SessionTitle | undefined {
  return type === "thread_name_updated" ? { text: textOf(name), isChosen: true } : undefined;
}

/** @param slot - The line before the header, where later versions write the title. */
function headerTitle(record: JsonObject, slot: JsonObject): SessionTitle {
  const { title, source } =
    slot["title"] === undefined ? { title: record["title"], source: record["titleSource"] } : slot;
  return { text: textOf(title), isChosen: source === "user" };
}

// The title of a session until the client has made one up.
const placeholder = /^(?:New|Child) [Ss]ession - \d{4}-\d\d-\d\dT/;

/** Other objects without a type, such as lists of things to do, say no title. */
function rowTitle({ title }: JsonObject): SessionTitle | undefined {
  if (title === undefined) return undefined;
  const text = textOf(title);
  return placeholder.test(text) ? undefined : { text, isChosen: false };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

/**
 * The command in a client's note that one was called, as it would be typed. If nobody said anything
 * in a session, this is all that identifies it. Undefined for all other texts, and for commands of
 * the client itself, such as clearing the screen: their notes begin with the name.
 */
export function commandIn(text: string): string | undefined {
  return commandNote.exec(text)?.[1];
}

// Claude Code
const commandNote =
  /^<command-message>[^<]*<\/command-message>\s*<command-name>(\/[^<\s]+)<\/command-name>/;
