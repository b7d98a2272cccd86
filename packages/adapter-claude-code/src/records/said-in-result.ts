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
  const refused = typeof told === "string" && !told.startsWith(clarifies) ? [told] : [];
  return [...refused, ...answersIn(record.peek("toolUseResult"))]
    .filter((raw) => raw !== "")
    .map((raw) => ({ raw, text: openRecord(record.at, { raw }).requireString("raw") }));
}

/** Older clients have it nowhere but behind their own words. */
function toldIn(block: SourceRecord): string | undefined {
  const content = block.peek("content");
  if (block.peek("is_error") !== true || typeof content !== "string") return undefined;
  return content.startsWith(refuses) ? content.slice(refuses.length) : undefined;
}

const refuses =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a " +
  "file edit, the new_string was NOT written to the file). To tell you how to proceed, the user " +
  "said:\n";

/** So the client puts it where somebody wants to talk about its questions first. */
const clarifies = "The user wants to clarify these questions.";

/** Answers to the questions of a model, each with what was noted beside it. */
function answersIn(result: JsonValue | undefined): string[] {
  if (!isJsonObject(result) || !Array.isArray(result["questions"])) return [];
  const notes = objectAt(result, "annotations");
  const answers = Object.entries(objectAt(result, "answers")).flatMap(([question, answer]) => [
    ...textsIn(answer),
    ...textsIn(objectAt(notes, question)["notes"]),
  ]);
  return [...answers, ...textsIn(result["response"])];
}

function textsIn(value: JsonValue | undefined): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

/** True for words that stand in the result before them, too. */
export function isSaidInResult(message: Pick<Message, "options">): boolean {
  return sourceOf(message)["said"] === "in-result";
}
