import { isJsonObject, type JsonValue, type Message } from "@pond/canonical";
import { objectAt, openRecord, type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import { isToolResult } from "./blocks.ts";
import type { Typed } from "./typed-behind.ts";

/**
 * What a human said that the client gives to the model as the result of a tool: what to do in place
 * of a call they refused, and answers to questions. The result stays what it is; the words are a
 * message of their own as well.
 */
export function saidInResult(record: SourceRecord, blocks: readonly SourceRecord[]): Typed[] {
  const results = blocks.filter(isToolResult);
  // What is refused and answered is one call: there the record says of which it speaks.
  if (results.length !== 1) return [];
  const told = record.peek("userFeedback") ?? results.map(toldIn)[0];
  const isTyped = typeof told === "string" && !ours.some((words) => told.startsWith(words));
  return [...(isTyped ? [told] : []), ...answersIn(record.peek("toolUseResult"))]
    .filter((raw) => raw !== "")
    .map((raw) => ({ raw, text: openRecord(record.at, { raw }).requireString("raw") }));
}

/** Older clients have it nowhere but between their own words. */
function toldIn(block: SourceRecord): string | undefined {
  const content = block.peek("content");
  if (block.peek("is_error") !== true || typeof content !== "string") return undefined;
  const before = refusals.find((words) => content.startsWith(words));
  return before && content.slice(before.length).split(behind)[0];
}

const rejects =
  "The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

/** In a session, and in that of an agent. */
const refusals: readonly string[] = [
  `The user doesn't want to proceed with this tool use. ${rejects} To tell you how to proceed, the user said:\n`,
  `Permission for this tool use was denied. ${rejects} The user said:\n`,
];

/** What a model is told of its memory. */
const behind = "\n\nNote: The user's next message may contain a correction or preference.";

/** What the client says there itself: a key was pressed, or another program refused. */
const ours: readonly string[] = [
  "The user wants to clarify these questions.",
  "The user has indicated they have provided enough answers for the plan interview.",
  "Denied via channel ",
];

/** Answers to the questions of a model, each with what was noted beside it. */
function answersIn(result: JsonValue | undefined): string[] {
  if (!isJsonObject(result) || !Array.isArray(result["questions"])) return [];
  const [answers, notes] = [objectAt(result, "answers"), objectAt(result, "annotations")];
  const asked = new Set([...Object.keys(answers), ...Object.keys(notes)]);
  const texts = [...asked].flatMap((question) => [
    ...textsIn(answers[question]).map((text) => text.replace(unsaid, "")),
    ...textsIn(objectAt(notes, question)["notes"]),
  ]);
  return [...texts, ...textsIn(result["response"])];
}

/** The client's own, where nothing was chosen or typed, and behind what was. */
const unsaid = /^(?:\(notes only\)|__other__)$|(?:^| )\(Image attached\)$/;

function textsIn(value: JsonValue | undefined): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

/** True for words that stand in the result before them, too. */
export function isSaidInResult(message: Pick<Message, "options">): boolean {
  return sourceOf(message)["said"] === "in-result";
}
