import { isUtf8 } from "node:buffer";
import { fromRfc3339, isJsonObject, type JsonObject, tryParseObject } from "@pond/canonical";
import { objectOf } from "@pond/canonical/adapter";
import { hasLoneSurrogate, plainText } from "@pond/canonical/foreign";
import { ItemProblems } from "./item-problems.ts";
import { nameFile } from "./thread-names.ts";

/**
 * What Codex, or the API that it replays a thread to, would refuse in these files (path relative to
 * its home -> bytes). One sentence each; empty if it accepts them.
 */
export function codexProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  // In this file the client skips lines that it does not understand.
  const sessionFiles = [...files].filter(([path]) => path !== nameFile);
  return sessionFiles.flatMap(([path, bytes]) =>
    [...problemsOf(path, bytes)].map((problem) => `${path}${problem}`),
  );
}

const sessionFile =
  /^(?:sessions\/\d{4}\/\d{2}\/\d{2}|archived_sessions)\/rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[0-9a-f-]{36})?\.jsonl$/;

function* problemsOf(path: string, bytes: Uint8Array): Generator<string> {
  const thread = sessionFile.exec(path)?.[1];
  if (thread === undefined) yield " is no place where the client looks for sessions";
  // One bad byte makes the whole thread unreadable to the client.
  if (!isUtf8(bytes)) return yield " is not UTF-8";
  const text = Buffer.from(bytes).toString();
  if (text.startsWith("\uFEFF")) yield " begins with a byte order mark";
  if (!text.endsWith("\n")) yield " does not end with a newline";
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) yield " is empty";
  const items = new ItemProblems();
  for (const [index, line] of lines.entries()) {
    for (const problem of lineProblems(line, index, thread, items))
      yield `:${index + 1} ${problem}`;
  }
  for (const problem of items.unanswered()) yield ` ${problem}`;
}

function* lineProblems(
  line: string,
  index: number,
  thread: string | undefined,
  items: ItemProblems,
): Generator<string> {
  const record = tryParseObject(line);
  if (record === undefined) return yield "is no JSON object";
  if (hasLoneSurrogate(line)) yield "holds a lone surrogate";
  const { timestamp, type, payload, ordinal } = record;
  if (typeof timestamp !== "string" || fromRfc3339(timestamp) === undefined) yield "has no time";
  if (!isJsonObject(payload)) return yield "has no payload";
  if (ordinal !== undefined) yield "is numbered, which only a paginated thread is";
  const fields = objectOf(payload);
  if (index === 0 && type !== "session_meta") yield "is first and no session_meta";
  switch (type) {
    case "session_meta":
      return yield* metaProblems(fields, index === 0 ? thread : undefined);
    case "turn_context":
      return yield* missingFields(fields, turnContextFields);
    case "response_item":
      return yield* items.of(fields);
    case "event_msg":
      return yield* missingFields(fields, eventFields.get(plainText(fields["type"])) ?? {});
  }
}

type Fields = Readonly<Record<string, "string" | "object">>;

const metaFields: Fields = {
  id: "string",
  timestamp: "string",
  cwd: "string",
  originator: "string",
  cli_version: "string",
};
const turnContextFields: Fields = {
  cwd: "string",
  model: "string",
  summary: "string",
  sandbox_policy: "object",
};
const eventFields: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ["user_message", { message: "string" }],
  ["agent_message", { message: "string" }],
  ["agent_reasoning", { text: "string" }],
  ["task_started", { turn_id: "string" }],
  ["task_complete", { turn_id: "string" }],
]);

function* missingFields(fields: JsonObject, wanted: Fields): Generator<string> {
  for (const [key, type] of Object.entries(wanted)) {
    if (typeof fields[key] !== type) yield `has no ${key}`;
  }
}

/** @param thread - The id in the file's name, for the header of the file. */
function* metaProblems(fields: JsonObject, thread: string | undefined): Generator<string> {
  yield* missingFields(fields, metaFields);
  if (thread === undefined) return;
  if (fields["id"] !== thread) yield "names another thread than its file";
  const { source } = fields;
  const spawn = objectOf(objectOf(objectOf(source)["subagent"])["thread_spawn"]);
  const isSpawned = typeof spawn["parent_thread_id"] === "string";
  // The client lists what a human can continue, and finds the others through their parents.
  if (source !== "cli" && source !== "vscode" && source !== undefined && !isSpawned) {
    yield "is of a source that the client does not list";
  }
  if (fields["history_mode"] === "paginated") yield "is paginated";
}
