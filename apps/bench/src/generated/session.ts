import { createHash } from "node:crypto";
import { tailedLength } from "../shared/random.ts";
import { listing, prose } from "./text.ts";

export type SessionShape = {
  readonly id: string;
  readonly cwd: string;
  readonly startMs: number;
  /** The least number of records; the turn that passes it is finished. */
  readonly records: number;
};

/**
 * The lines of one session, with the mix of records, the keys and the lengths measured on real
 * ones: half are answers, a third prompts and tool results, the rest notes of the client. A mean
 * line is 3 KB, most of it in a few long tool results.
 */
export function sessionLines(
  random: () => number,
  { id: sessionId, cwd, startMs, records }: SessionShape,
): string[] {
  const lines: string[] = [];
  let previous: string | null = null;

  const put = (record: object): void => void lines.push(JSON.stringify(record));
  const envelope = (): object => {
    const parentUuid = previous;
    const uuid = idOf(random);
    previous = uuid;
    const timestamp = new Date(startMs + lines.length * 1_700).toISOString();
    const client = { userType: "external", version: "2.1.220", gitBranch: "main" };
    return { parentUuid, isSidechain: false, ...client, cwd, sessionId, uuid, timestamp };
  };
  const assistant = (block: object, stop_reason: string | null): void => {
    const turn = envelope();
    const message = {
      model: "model-large",
      id: `msg_${idOf(random)}`,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason,
      stop_sequence: null,
      usage: { input_tokens: 3, cache_read_input_tokens: 18_204, output_tokens: 411 },
    };
    put({ ...turn, message, requestId: `req_${idOf(random)}`, type: "assistant" });
  };
  const user = (content: unknown, extra: object): void =>
    put({ ...envelope(), type: "user", message: { role: "user", content }, ...extra });
  const text = (median: number, spread: number): string =>
    prose(random, tailedLength(random, median, spread));

  while (lines.length < records) {
    user(text(130, 1.4), { permissionMode: "default" });
    const steps = 1 + Math.floor(random() * 9);
    for (let step = 0; step < steps; step++) {
      if (random() < 0.33) {
        const thinking = text(700, 0.8);
        const signature = createHash("sha512").update(thinking).digest("base64").repeat(8);
        assistant({ type: "thinking", thinking, signature }, null);
      }
      if (random() < 0.25) assistant({ type: "text", text: text(135, 1.1) }, null);
      const { name, input, content, toolUseResult } = toolCall(random, cwd);
      const call = `toolu_${idOf(random)}`;
      assistant({ type: "tool_use", id: call, name, input }, "tool_use");
      user([{ tool_use_id: call, type: "tool_result", content }], { toolUseResult });
      if (random() < 0.25) {
        const data = { type: "hook_progress", hookEvent: "PostToolUse", command: text(400, 1) };
        put({ ...envelope(), type: "progress", data, toolUseID: call });
      }
    }
    assistant({ type: "text", text: text(320, 0.9) }, "end_turn");
    const attachment = { type: "todo_reminder", content: text(900, 1.2) };
    if (random() < 0.7) put({ ...envelope(), type: "attachment", attachment });
    if (random() < 0.4) put({ type: "last-prompt", lastPrompt: text(120, 0.6), sessionId });
    if (random() < 0.3) put({ type: "mode", mode: "normal", sessionId });
  }
  return lines;
}

type ToolCall = {
  readonly name: string;
  readonly input: object;
  readonly content: string;
  readonly toolUseResult: object;
};

function toolCall(random: () => number, cwd: string): ToolCall {
  const file_path = `${cwd}/src/${prose(random, 6).replaceAll(" ", "-")}`;
  const content = listing(random, tailedLength(random, 420, 1.6));
  const kind = random();
  if (kind < 0.45) {
    const file = { filePath: file_path, content, numLines: 40, startLine: 1, totalLines: 400 };
    return { name: "Read", input: { file_path }, content, toolUseResult: { type: "text", file } };
  }
  if (kind < 0.75) {
    const input = { command: prose(random, tailedLength(random, 120, 0.8)) };
    const toolUseResult = { stdout: content, stderr: "", interrupted: false, isImage: false };
    return { name: "Bash", input, content, toolUseResult };
  }
  const [old_string, new_string] = [350, 450].map((size) =>
    listing(random, tailedLength(random, size, 0.9)),
  );
  const originalFile = listing(random, tailedLength(random, 5_000, 1));
  return {
    name: "Edit",
    input: { file_path, old_string, new_string, replace_all: false },
    content: `The file ${file_path} has been updated.`,
    toolUseResult: {
      filePath: file_path,
      oldString: old_string,
      newString: new_string,
      originalFile,
    },
  };
}

export function idOf(random: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 4_294_967_296)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return [20, 16, 12, 8].reduce((id, at) => `${id.slice(0, at)}-${id.slice(at)}`, hex);
}
