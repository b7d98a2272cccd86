import { isJsonObject, type JsonValue, type Message } from "@pond/canonical";
import {
  objectAt,
  objectOf,
  openRecord,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import { isToolResult } from "./blocks.ts";
import type { Reading } from "./envelope.ts";
import type { Typed } from "./typed-message.ts";

/**
 * What a human typed that the client gives to the model as the result of a tool: what to do instead
 * of a call that they refused, and answers to questions. The result stays as it is; the words also
 * become a message of their own.
 */
export function typedInResult(
  record: SourceRecord,
  blocks: readonly SourceRecord[],
  { toolNames, questions }: Pick<Reading, "toolNames" | "questions">,
): Typed[] {
  const [result, ...others] = blocks.filter(isToolResult);
  // A refusal or an answer is for one call: otherwise the record does not say which.
  if (result === undefined || others.length > 0) return [];
  const feedback = record.peek("userFeedback") ?? feedbackIn(result);
  const isTyped =
    typeof feedback === "string" && !clientTexts.some((words) => feedback.startsWith(words));
  const call = result.peek("tool_use_id");
  // A tool of another name may answer in the same shape, and a log may lack the call.
  const mayAnswer = typeof call !== "string" || questions.has(call) || !toolNames.has(call);
  const answers = mayAnswer ? answersIn(record.peek("toolUseResult")) : [];
  return [...(isTyped ? [feedback] : []), ...answers]
    .filter((raw) => raw !== "")
    .map((raw) => ({ raw, text: openRecord(record.at, { raw }).requireString("raw") }));
}

/** Older clients have it only between their own words. */
function feedbackIn(block: SourceRecord): string | undefined {
  const content = textOf(block.peek("content"));
  if (block.peek("is_error") !== true || content === undefined) return undefined;
  const before = refusals.find((words) => content.startsWith(words));
  return before && content.slice(before.length).split(memoryNote)[0];
}

/** Some hosts give it as a block. */
function textOf(content: JsonValue | undefined): string | undefined {
  const text = Array.isArray(content) ? objectOf(content[0])["text"] : content;
  return typeof text === "string" ? text : undefined;
}

const rejects =
  "The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
const refused = `The user doesn't want to proceed with this tool use. ${rejects}`;

/** At the terminal, in the log of an agent, and where an editor asked. */
const refusals: readonly string[] = [
  `${refused} To tell you how to proceed, the user said:\n`,
  `Permission for this tool use was denied. ${rejects} The user said:\n`,
  `${refused} The user provided the following reason for the rejection:  `,
];

/** What a model is told about its memory. */
const memoryNote = "\n\nNote: The user's next message may contain a correction or preference.";

/** What the client itself says there: a key was pressed, or another program refused. */
const clientTexts: readonly string[] = [
  "The user wants to clarify these questions.",
  "The user has indicated they have provided enough answers for the plan interview.",
  "Denied via channel ",
];

/** Answers to the questions of a model, each with its notes. */
function answersIn(result: JsonValue | undefined): string[] {
  if (!isJsonObject(result) || !Array.isArray(result["questions"])) return [];
  const [answers, notes] = [objectAt(result, "answers"), objectAt(result, "annotations")];
  const asked = new Set([...Object.keys(answers), ...Object.keys(notes)]);
  const texts = [...asked].flatMap((question) => [
    ...textsIn(answers[question]).map((text) => text.replace(clientMarkers, "")),
    ...textsIn(objectAt(notes, question)["notes"]),
  ]);
  return [...texts, ...textsIn(result["response"])];
}

/** The client's own words, if nothing was chosen or typed, and after an answer. */
const clientMarkers = /^(?:\(notes only\)|__other__)$|(?:^| )\(Image attached\)$/;

function textsIn(value: JsonValue | undefined): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

/** True for words that also stand in the result before them. */
export function isTypedInResult(message: Pick<Message, "options">): boolean {
  return sourceOf(message)["said"] === "in-result";
}
