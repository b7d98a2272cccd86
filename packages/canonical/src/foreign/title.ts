import type { JsonObject, JsonValue } from "../json.ts";
import type { Message } from "../message.ts";
import { carriedRecord, objectAt, sourceOf } from "../seam/source-options.ts";

/** What a session is called in its client. */
export type SessionTitle = {
  readonly text: string;
  /** True where a person chose it; else the client made it up, or does not say. */
  readonly isChosen: boolean;
};

/** One of these stands in the options of every message that says a title. */
export const titleFields: readonly string[] = [
  '"titleField"',
  '"customTitle"',
  '"aiTitle"',
  '"thread_name_updated"',
  '"session_info"',
  '"title"',
];

/**
 * The title of a session as its client shows it: the last that a person chose, else the last that
 * the client made up. Undefined where there is none, or it was taken back.
 *
 * @param messages - Of the session, in their order; those without {@link titleFields} may be left out.
 */
export function titleOf(messages: Iterable<Pick<Message, "options">>): SessionTitle | undefined {
  let [chosen, made] = ["", ""];
  for (const message of messages) {
    const title = titleIn(message);
    if (title?.isChosen) chosen = title.text;
    else if (title) made = title.text;
  }
  if (chosen !== "") return { text: chosen, isChosen: true };
  return made === "" ? undefined : { text: made, isChosen: false };
}

/** What one record says of it; an empty text takes back what was said before. */
function titleIn(message: Pick<Message, "options">): SessionTitle | undefined {
  const record = carriedRecord(message);
  if (record === undefined) return undefined;
  const source = sourceOf(message);
  const { titleField, isTitleChosen } = source;
  // A reader marks the record with the name of the field that says it.
  return typeof titleField === "string"
    ? { text: textOf(record[titleField]), isChosen: isTitleChosen === true }
    : unmarkedTitle(record, source);
}

/** The same of clients whose sessions were stored before there was a mark. */
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
    // opencode keeps what it knows of a session without a type; of one that went on in 2.x twice.
    case undefined:
      return rowTitle(objectAt(source, "continued")) ?? rowTitle(record);
    default:
      return undefined;
  }
}

function threadName({ type, thread_name: name }: JsonObject): SessionTitle | undefined {
  return type === "thread_name_updated" ? { text: textOf(name), isChosen: true } : undefined;
}

/** @param slot - The line in front of the header, which later versions write the title to. */
function headerTitle(record: JsonObject, slot: JsonObject): SessionTitle {
  const { title, source } =
    slot["title"] === undefined ? { title: record["title"], source: record["titleSource"] } : slot;
  return { text: textOf(title), isChosen: source === "user" };
}

// What a session is called until the client has made up something.
const placeholder = /^(?:New|Child) [Ss]ession - \d{4}-\d\d-\d\dT/;

/** Of others without a type, such as its lists of things to do, none says a title. */
function rowTitle({ title }: JsonObject): SessionTitle | undefined {
  if (title === undefined) return undefined;
  const text = textOf(title);
  return placeholder.test(text) ? undefined : { text, isChosen: false };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

/**
 * The command that a client notes to have been called, as it is typed: for a session in which nobody
 * said anything it is all there is to tell it by. Undefined for all other texts, and for commands of
 * the client itself, such as those that clear the screen: their notes begin with the name.
 */
export function commandIn(text: string): string | undefined {
  return commandNote.exec(text)?.[1];
}

// Claude Code
const commandNote =
  /^<command-message>[^<]*<\/command-message>\s*<command-name>(\/[^<\s]+)<\/command-name>/;
