import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "@pond/canonical";
import { objectOf } from "@pond/canonical/adapter";
import { base64Bytes, hasLoneSurrogate, plainText } from "@pond/canonical/foreign";

/**
 * What Claude Code, or the API that it replays the session to, would refuse in these files (path
 * relative to its home -> bytes). One sentence each; empty if it accepts them.
 */
export function claudeCodeProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [...files].flatMap(([path, bytes]) => {
    if (!path.endsWith(".jsonl")) return [];
    const problems = new LogProblems(path).of(Buffer.from(bytes).toString());
    return problems.map((problem) => `${path}${problem}`);
  });
}

const sessionFile =
  /^projects\/[A-Za-z0-9-]+\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.jsonl|\/subagents\/agent-[\w-]+\.jsonl)$/;

class LogProblems {
  readonly #found: string[] = [];
  readonly #session: string | undefined;
  readonly #isAgent: boolean;
  readonly #uuids: Set<string> = new Set();
  readonly #calls: Set<string> = new Set();
  /** The calls of the assistant's turn that are not answered yet. */
  #open: Set<string> = new Set();
  #last: string | null = null;

  constructor(path: string) {
    const match = sessionFile.exec(path);
    this.#session = match?.[1];
    this.#isAgent = path.includes("/subagents/");
    if (match === null) this.#report("", "is no place where the client looks for sessions");
  }

  of(text: string): readonly string[] {
    if (!text.endsWith("\n")) this.#report("", "does not end with a newline");
    const lines = text.split("\n").slice(0, -1);
    for (const [index, line] of lines.entries()) this.#line(`:${index + 1}`, line, index === 0);
    this.#unanswered("");
    if (this.#uuids.size === 0) this.#report("", "holds no message");
    return this.#found;
  }

  #line(at: string, line: string, isFirst: boolean): void {
    const row = tryParseJson(line);
    if (row === undefined) {
      this.#report(at, "is no JSON; the client stops reading here");
      return;
    }
    if (hasLoneSurrogate(line)) this.#report(at, "holds a lone surrogate");
    const { type } = isJsonObject(row) ? objectOf(row) : {};
    if (isFirst && type !== "user") this.#report(at, "is first and no user row");
    if (type === "user" || type === "assistant") this.#row(at, objectOf(row), type);
  }

  #row(at: string, row: JsonObject, type: "user" | "assistant"): void {
    const { uuid, parentUuid, sessionId, isSidechain, message, timestamp } = row;
    for (const key of ["cwd", "version", "userType"]) {
      if (typeof row[key] !== "string") this.#report(at, `has no ${key}`);
    }
    if (typeof uuid !== "string" || this.#uuids.has(uuid))
      this.#report(at, "has no uuid of its own");
    else this.#uuids.add(uuid);
    if (parentUuid !== this.#last) this.#report(at, "is not linked to the row before it");
    this.#last = typeof uuid === "string" ? uuid : null;
    if (sessionId !== this.#session) this.#report(at, "names another session than its file");
    if (isSidechain !== this.#isAgent) this.#report(at, "has the wrong isSidechain");
    if (typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp))) {
      this.#report(at, "has no time");
    }
    const { role, content } = objectOf(message);
    if (role !== type) this.#report(at, `has a message of role ${plainText(role)}`);
    if (type === "assistant") this.#assistant(at, objectOf(message));
    this.#content(at, content, type);
  }

  #assistant(at: string, { id, type, model, usage }: JsonObject): void {
    const isWhole = typeof id === "string" && type === "message" && typeof model === "string";
    if (!isWhole || !isJsonObject(usage)) this.#report(at, "is no whole message of the API");
  }

  #content(at: string, content: JsonValue | undefined, type: "user" | "assistant"): void {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (!Array.isArray(blocks) || blocks.length === 0) {
      this.#report(at, "has no content");
      return;
    }
    if (type === "user" && !blocks.some((block) => objectOf(block)["type"] === "tool_result")) {
      this.#unanswered(at);
    }
    for (const block of blocks) this.#block(at, objectOf(block), type);
  }

  #block(at: string, block: JsonObject, type: "user" | "assistant"): void {
    switch (block["type"]) {
      case "text":
        if (plainText(block["text"] ?? "").trim() === "") this.#report(at, "holds an empty text");
        break;
      case "thinking":
        if (typeof block["signature"] !== "string") this.#report(at, "holds unsigned thinking");
        break;
      case "tool_use":
        this.#call(at, block, type);
        break;
      case "tool_result":
        this.#answer(at, block);
        break;
      case "image":
      case "document":
        this.#file(at, block);
        break;
      default:
        this.#report(at, `holds a block of type ${plainText(block["type"])}`);
    }
  }

  #call(at: string, { id, name, input }: JsonObject, type: "user" | "assistant"): void {
    const isLegal = typeof id === "string" && /^[A-Za-z0-9_-]+$/.test(id) && !this.#calls.has(id);
    if (!isLegal || type !== "assistant") this.#report(at, "makes a call without an id of its own");
    else {
      this.#calls.add(id);
      this.#open.add(id);
    }
    if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      this.#report(at, "calls a tool whose name the API refuses");
    }
    if (!isJsonObject(input)) this.#report(at, "makes a call whose input is no object");
  }

  #answer(at: string, { tool_use_id: id, content }: JsonObject): void {
    if (typeof id !== "string" || !this.#open.delete(id)) {
      this.#report(at, "answers no open call");
    }
    for (const block of Array.isArray(content) ? content.map(objectOf) : []) {
      if (block["type"] === "image" || block["type"] === "document") this.#file(at, block);
    }
  }

  #file(at: string, { type, source }: JsonObject): void {
    if (!isJsonObject(source)) {
      this.#report(at, "holds a file without its source");
      return;
    }
    const { type: form, data } = source;
    if (form === "base64" && (typeof data !== "string" || base64Bytes(data) === undefined)) {
      this.#report(at, type === "image" ? "holds an image that is none" : "holds no document");
    }
  }

  /** Every call has to be answered before somebody says something else. */
  #unanswered(at: string): void {
    for (const id of this.#open) this.#report(at, `leaves the call ${id} without an answer`);
    this.#open = new Set();
  }

  #report(at: string, problem: string): void {
    this.#found.push(`${at} ${problem}`);
  }
}
