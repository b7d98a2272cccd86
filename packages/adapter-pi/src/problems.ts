import { isJsonObject, type JsonObject, type JsonValue, tryParseObject } from "@pond/canonical";
import { hasLoneSurrogate, plainText } from "@pond/canonical/foreign";
import { type Dialect, omp, pi } from "./dialect.ts";
import { isAgentLocal, logSuffix, sessionsPrefix } from "./layout.ts";
import { messageProblems } from "./message-problems.ts";
import { slotBytes } from "./session-file/title-slot.ts";

/**
 * What pi, or a provider that it replays the session to, would refuse in these files (path relative
 * to its home -> bytes). One sentence each; empty if it accepts them.
 */
export function piProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return problemsOf(files, pi);
}

/** The same for omp, which also requires the line for the title to have its length. */
export function ompProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return problemsOf(files, omp);
}

function problemsOf(files: ReadonlyMap<string, Uint8Array>, dialect: Dialect): readonly string[] {
  return [...files].flatMap(([path, bytes]) => {
    if (!path.endsWith(logSuffix) || isAgentLocal(path)) return [];
    const place = isPlace(path, dialect)
      ? []
      : [" is no place where the client looks for sessions"];
    const log = new LogProblems(dialect).of(Buffer.from(bytes).toString());
    return [...place, ...log].map((problem) => `${path}${problem}`);
  });
}

/** A log is in the folder of its project; omp's sub-agents are below that. */
function isPlace(path: string, { hasAgents }: Dialect): boolean {
  if (!path.startsWith(sessionsPrefix)) return false;
  const depth = path.split("/").length;
  return depth <= 3 || hasAgents;
}

class LogProblems {
  readonly #dialect: Dialect;
  readonly #found: string[] = [];
  readonly #ids: Set<string> = new Set();
  /** Calls of the last answer that were not answered yet; undefined in the first versions. */
  readonly #open: Set<string> = new Set();
  #isTree = true;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  of(text: string): readonly string[] {
    if (text !== "" && !text.endsWith("\n")) this.#report("", "does not end with a newline");
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const [slot] = lines;
    const hasSlot = this.#dialect.hasTitleSlot && slot !== undefined && isTitle(slot);
    if (hasSlot && Buffer.byteLength(slot) + 1 !== slotBytes) {
      this.#report(":1", `is a title of another length than ${slotBytes} bytes`);
    }
    const first = hasSlot ? 1 : 0;
    for (const [index, line] of lines.entries()) {
      if (index >= first) this.#line(`:${index + 1}`, line, index === first);
    }
    if (lines.length <= first) this.#report("", "holds no session");
    this.#unanswered("");
    return this.#found;
  }

  #line(at: string, line: string, isFirst: boolean): void {
    const record = tryParseObject(line);
    if (record === undefined) {
      this.#report(at, "is no JSON object");
      return;
    }
    if (hasLoneSurrogate(line)) this.#report(at, "holds a lone surrogate");
    if (isFirst) this.#header(at, record);
    else if (record["type"] !== "session") this.#entry(at, record);
  }

  #header(at: string, { type, id, version, timestamp, cwd }: JsonObject): void {
    if (type !== "session" || typeof id !== "string" || id === "") {
      this.#report(at, "is first and no header of a session");
      return;
    }
    if (version !== undefined && ![1, 2, 3].some((known) => known === version)) {
      this.#report(at, `has version ${plainText(version)}`);
    }
    this.#isTree = version === 2 || version === 3;
    if (!isTime(timestamp)) this.#report(at, "has no time");
    if (typeof cwd !== "string" || cwd === "") this.#report(at, "has no working directory");
  }

  #entry(at: string, entry: JsonObject): void {
    const { type, id, parentId, timestamp } = entry;
    if (typeof type !== "string") this.#report(at, "has no type");
    if (!isTime(timestamp)) this.#report(at, "has no time");
    if (this.#isTree) {
      if (parentId !== null && (typeof parentId !== "string" || !this.#ids.has(parentId))) {
        this.#report(at, "has no parent in front of it");
      }
      if (typeof id !== "string" || id === "" || this.#ids.has(id)) {
        this.#report(at, "has no id of its own");
      } else this.#ids.add(id);
    }
    for (const problem of fieldProblems(entry, this.#dialect)) this.#report(at, problem);
    if (type === "message") this.#message(at, entry["message"]);
  }

  #message(at: string, message: JsonValue | undefined): void {
    if (!isJsonObject(message)) {
      this.#report(at, "holds no message");
      return;
    }
    for (const problem of messageProblems(message, this.#dialect)) this.#report(at, problem);
    const { role, content, toolCallId } = message;
    if (role === "user" || role === "assistant") this.#unanswered(at);
    if (role === "toolResult" && typeof toolCallId === "string" && !this.#open.delete(toolCallId)) {
      this.#report(at, `answers a call that was not made: ${toolCallId}`);
    }
    if (role !== "assistant" || !Array.isArray(content)) return;
    for (const block of content) {
      const call = isJsonObject(block) && block["type"] === "toolCall" ? block["id"] : undefined;
      if (typeof call !== "string") continue;
      if (this.#open.has(call)) this.#report(at, `makes a call twice: ${call}`);
      this.#open.add(call);
    }
  }

  #unanswered(at: string): void {
    for (const call of this.#open) this.#report(at, `leaves a call without an answer: ${call}`);
    this.#open.clear();
  }

  #report(at: string, problem: string): void {
    this.#found.push(`${at} ${problem}`);
  }
}

/** What each kind of entry needs besides its place in the tree. */
function fieldProblems(entry: JsonObject, { modelName }: Dialect): readonly string[] {
  const model = modelName === "joined" ? ["model"] : ["provider", "modelId"];
  const needed: Readonly<Record<string, readonly string[]>> = {
    model_change: model,
    compaction: ["summary"],
    branch_summary: ["summary", "fromId"],
    custom: ["customType"],
    custom_message: ["customType"],
    label: ["targetId"],
    session_init: ["systemPrompt", "task"],
  };
  const type = plainText(entry["type"]);
  const fields = Object.hasOwn(needed, type) ? (needed[type] ?? []) : [];
  return fields
    .filter((field) => typeof entry[field] !== "string")
    .map((field) => `has no ${field}`);
}

function isTitle(line: string): boolean {
  return tryParseObject(line)?.["type"] === "title";
}

function isTime(value: JsonValue | undefined): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
