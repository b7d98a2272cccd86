import { type JsonValue, tryParseJson, tryParseObject } from "@pond/canonical";
import { objectAt, objectOf, type SourceRecord } from "@pond/canonical/adapter";

/** What the client itself says about one element of an item's content. */
export type Label = {
  /** What it is, such as `user.text` (since August 2026). */
  readonly kind?: string | undefined;
  /** Where it comes from, such as `harness` (since October 2026). */
  readonly from?: string | undefined;
};

/** The client's label for each element; empty if it does not label all of them. */
export function labelsOf(item: SourceRecord): readonly Label[] {
  const content = item.peek("content");
  const metadata = item.record("internal_chat_message_metadata_passthrough");
  const count = Array.isArray(content) ? content.length : 0;
  const listAt = (key: string): readonly JsonValue[] => {
    const list = metadata?.peek(key);
    return Array.isArray(list) && list.length === count ? list : [];
  };
  const [kinds, sources] = [listAt("content_item_kinds"), listAt("content_item_metadata")];
  return Array.from({ length: Math.max(kinds.length, sources.length) }, (_, index) => ({
    kind: textOf(kinds[index]),
    from: textOf(objectAt(objectOf(sources[index]), "provenance")["type"]),
  }));
}

/**
 * Who wrote an element with that label (`model-part-provenance`); undefined if the label does not
 * tell, and then the text has to.
 */
export function provenanceOf({ kind, from }: Label): "conversational" | "injected" | undefined {
  if (kind !== undefined) {
    if (conversationalKinds.has(kind)) return "conversational";
    if (injectedKinds.has(kind)) return "injected";
    if (injectedFamilies.has(kind.split(".", 1)[0] ?? "")) return "injected";
  }
  if (from === undefined) return undefined;
  return from === "user" ? "conversational" : "injected";
}

const conversationalKinds: ReadonlySet<string> = new Set([
  "user.text",
  "user.goal",
  "user.image",
  "user.audio",
  "assistant.text",
]);

/** What a compaction leaves of everything before it. */
export const compactSummary = "compact-summary";

// A heartbeat wakes a thread on a schedule.
const injectedKinds: ReadonlySet<string> = new Set([
  "user.heartbeat",
  "user.goal.omitted",
  compactSummary,
]);

/** The part of a kind before the first dot: everything in such a family is the harness's. */
const injectedFamilies: ReadonlySet<string> = new Set([
  "additional_content",
  "agent_message_board",
  "agents_md",
  "apps",
  "audio",
  "code_mode",
  "collaboration_mode",
  "compaction",
  "components",
  "environments",
  "exec",
  "generic",
  "guardian",
  "hooks",
  "host_skills",
  "images",
  "managed_config",
  "memories",
  "multi_agent",
  "network_proxy",
  "permissions",
  "persistent_mode",
  "plugins",
  "realtime_conversation",
  "rollout_budget",
  "skills",
  "token_budget",
  "tools",
  "usage_limits",
]);

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The kind of injection that a whole text is; undefined if a human may have typed it. */
export function injectedText(text: string): string | undefined {
  const trimmed = text.trim();
  const element = openTag.exec(trimmed)?.[1];
  if (element !== undefined && isHarnessTag(element) && trimmed.endsWith(`</${element}>`)) {
    return element;
  }
  return textRules.find(([, holds]) => holds(trimmed))?.[0];
}

const openTag = /^<([A-Za-z][\w-]*)(?:\s[^<>]*)?>/;

// After the last of them comes a key of an extension.
function isHarnessTag(tag: string): boolean {
  return harnessTags.has(tag) || /^external_./.test(tag);
}

/** Elements that are the harness's if they make up the whole text. */
const harnessTags: ReadonlySet<string> = new Set([
  "user_instructions",
  "environment_context",
  "turn_aborted",
  "skill",
  "user_shell_command",
  "subagent_notification",
  "goal_context",
  "codex_internal_context",
  "recommended_plugins",
  "hook_prompt",
  "image_resize_notice",
  "worker_question",
  "application_context",
  "user_action",
  "skill_suggestions",
  "realtime_delegation",
  "agent_message_board_notification",
]);

const startsWith = (prefix: string) => (text: string) => text.startsWith(prefix);

/** Texts that are the harness's from the first to the last character. */
const textRules: readonly (readonly [kind: string, holds: (text: string) => boolean])[] = [
  [
    "agents_md",
    (text) => text.startsWith("# AGENTS.md instructions") && text.endsWith("</INSTRUCTIONS>"),
  ],
  ["image", isImageTag],
  [compactSummary, startsWith("Another language model started to solve this problem")],
  [
    "warning",
    startsWith("Warning: The maximum number of unified exec processes you can keep open is"),
  ],
  ["warning", startsWith("Warning: Your account was flagged for potentially high-risk cyber")],
  [
    "warning",
    (text) => /^Warning: apply_patch was requested via \S+ Use the apply_patch tool/.test(text),
  ],
];

/** The client's text in the model's place after an interrupted review. */
export const interruptedReview =
  "Review was interrupted. Please re-run /review and wait for it to complete.";

/** True for what an editor's extension asks a model, with a copy of the prompt to name. */
export function asksForTitle(text: string): boolean {
  return titlePrompts.some((prompt) => text.startsWith(prompt));
}

const titlePrompts: readonly string[] = [
  "Generate a concise UI title (20-40 characters) for this task.\nReturn only the title.",
  "You are a helpful assistant. You will be presented with a user prompt, and your job is to provide a short title for a task",
];

/** True for the tag that stands by itself on either side of an image. */
export function isImageTag(text: string): boolean {
  return /^<\/?image(?:\s[^<>]*)?>$/.test(text.trim());
}

/** The last of these texts with the project's rules; none that is too long to keep. */
export function rulesIn(texts: readonly string[]): string | undefined {
  return texts.findLast(
    (text) => text.length <= maxRulesLength && injectedText(text) === "agents_md",
  );
}

// The client takes 32 KiB from a project, unless it is told to take more.
const maxRulesLength = 256 * 1024;

/** True for more of the project's rules than a human would quote in a text of their own. */
export function repeatsRules(text: string, rules: string | undefined): boolean {
  const trimmed = text.trim();
  return rules !== undefined && trimmed.length >= minRepeatedLength && rules.includes(trimmed);
}

const minRepeatedLength = 100;

/**
 * Where a prompt begins: after the context that an editor, the app or an automation put before it
 * in the same text. 0 if the text has no such prefix. The user's notes on a response, a diff or a
 * page belong to the prompt, which may be empty then.
 */
export function promptStart(text: string): number {
  const begin = text.trimStart();
  if (!prefixHeadings.some((heading) => begin.startsWith(heading))) {
    return automationHead.exec(text)?.[0].length ?? 0;
  }
  // A selection may hold the marker, so the last one counts, as it does for the client itself.
  const marker = [...text.matchAll(promptMarkers)].at(-1);
  if (marker === undefined) return 0;
  const start = marker.index + marker[0].length;
  const notes = notesHeading.exec(text);
  return Math.min(start, notes?.index ?? start);
}

const promptMarkers = /^## My request(?: for Codex)?:(?:\r?\n)?/gm;
const notesHeading = /^# (?:Response annotations|Diff comments|Browser comments):/m;
// Only the client's own headings: after any other, the rest may be the user's, including the
// marker.
const prefixHeadings: readonly string[] = [
  "# Context from my IDE setup:",
  "# Files mentioned by the user:",
  "# Files pasted by the user:",
  "# Applications mentioned by the user:",
  "# Selected text:",
  "# Review findings:",
  "# In app browser",
  "<in-app-browser-context",
  "# Chrome tabs:",
  "# MCP app context:",
  "# Failing PR checks:",
  "# Pull request merge conflict:",
  "## Code review guidelines:",
  "## Prior conversation with Codex:",
  "## Referenced chats with Codex:",
  "## Referenced ChatGPT conversation:",
  "## Pull request fix:",
  "## Pull request merge task:",
  "## Auto resolve merge:",
  "The attached pasted text file(s) contain the user's request.",
  // The marker may be there without any context.
  "## My request:",
  "## My request for Codex:",
];
const automationHead =
  /^Automation: .*\r?\nAutomation ID: .*\r?\nAutomation memory: .*\r?\nLast run: .*\r?\n\r?\n/;

/** A place in a text. */
export type Place = { readonly start: number; readonly end: number };

/** The place of the user's words in the client's note of a goal, as JSON writes them. */
export function goalIn(text: string): Place | undefined {
  const [, head, goal] = userGoal.exec(text) ?? [];
  if (head === undefined || goal === undefined) return undefined;
  return { start: head.length, end: head.length + goal.length };
}

const userGoal =
  /^(<codex_internal_context source="user_goal">\nUser set the goal: ")([^"\\]*(?:\\.[^"\\]*)*)"\n<\/codex_internal_context>$/;

/**
 * The places of the user's answers in a text that gives them together with the questions, as JSON
 * writes them; undefined if a text is not such a reply.
 */
export function repliesIn(text: string): readonly Place[] | undefined {
  const [, head = "", json] = questionReply.exec(text) ?? [];
  if (json === undefined || !isReplies(json)) return undefined;
  return [...json.matchAll(answerMember)].map(({ index, 1: key = "", 2: answer = "" }) => {
    const start = head.length + index + key.length;
    return { start, end: start + answer.length };
  });
}

const questionReply =
  /^(\s*<send_user_message_question_reply>)(.*)<\/send_user_message_question_reply>\s*$/s;

// No string in a JSON text can contain this: its quotation marks would be escaped.
const answerMember = /("answer"\s*:\s*")([^"\\]*(?:\\.[^"\\]*)*)"/g;

function isReplies(json: string): boolean {
  // A human may write anything.
  const replies = tryParseJson(json);
  return Array.isArray(replies) && replies.every(isReply);
}

function isReply(reply: JsonValue): boolean {
  const members = ["questionItemId", "question", "answer"];
  return members.every((key) => typeof objectOf(reply)[key] === "string");
}

/**
 * The place of what the user said by voice in the text that hands it over to the thread; undefined
 * if nothing was said to the thread.
 */
export function voiceRequest(text: string): Place | undefined {
  if (injectedText(text) !== "realtime_delegation") return undefined;
  const [, head, request] = voiceHead.exec(text) ?? [];
  if (head === undefined || request === undefined) return undefined;
  return { start: head.length, end: head.length + request.length };
}

// At the end of a talk, its source comes before the input, and the input is the client's.
const voiceHead = /^(\s*<realtime_delegation>\s*<input>)(.+?)<\/input>/s;

/** Where the text of another agent begins in its mail: after the head that the client adds. */
export function mailStart(text: string): number {
  return mailHead.exec(text)?.[0].length ?? 0;
}

const mailHead = /^Message Type: .*\n(?:Task name: .*\n)?(?:Sender: .*\n)?Payload:(?:\n|$)/;

/** True for mail of another agent that an older client put in the assistant's place as JSON. */
export function isMail(text: string): boolean {
  // A model may write anything.
  const mail = text.startsWith("{") ? tryParseObject(text) : undefined;
  return mail !== undefined && Object.keys(mail).sort().join(" ") === mailFields;
}

const mailFields = "author content other_recipients recipient trigger_turn";

/**
 * The places of calls and outputs of another client's session, and of marks for what was not taken.
 * An import writes everything in a message into one text, separated by empty lines, which belong to
 * these places.
 */
export function importedTools(text: string): readonly Place[] {
  return importedPlaces(text, importedStart);
}

/**
 * The same in a prompt: calls and outputs only in front of it, because a human may quote one after
 * their own words; the marks anywhere.
 */
export function importedInPrompt(text: string): readonly Place[] {
  const front = importedTools(text).filter(({ start }) => start === 0);
  const begin = front[0]?.end ?? 0;
  return [
    ...front,
    ...importedPlaces(text, unsupportedBlock).filter(({ start }) => start >= begin),
  ];
}

function importedPlaces(text: string, pattern: RegExp): readonly Place[] {
  const places: Place[] = [];
  // If something has no end after one place, it has none after a later one.
  const unclosedKinds = new Set<string>();
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [{ length }, kind] = found;
    const matchEnd = found.index + length;
    const end =
      kind === undefined
        ? matchEnd
        : unclosedKinds.has(kind)
          ? -1
          : endOf(kind, text, matchEnd - 1);
    if (kind !== undefined && end === -1) unclosedKinds.add(kind);
    // The end of a line may belong to the next one.
    pattern.lastIndex = end === -1 ? matchEnd - 1 : end;
    if (end === -1) continue;
    const before = places.at(-1);
    const isAdjacent = before?.end === found.index;
    places.splice(isAdjacent ? -1 : places.length, 1, {
      start: isAdjacent ? before.start : found.index,
      end,
    });
  }
  const withLine = ({ start, end }: Place): Place => ({
    start,
    end: Math.min(end + 2, text.length),
  });
  return places.map(withLine);
}

const importedStart =
  /(?:^|\n\n)\[external(?:_agent_tool_(call|result)(?:: [^\n]*)?\]\n| unsupported block: [^\n]*\](?=\n\n|$))/g;

const unsupportedBlock = /(?:^|\n\n)\[external unsupported block: [^\n]*\](?=\n\n|$)/g;

/** Where a call or an output ends, at the end of a paragraph; -1 if it does not. */
function endOf(kind: string, text: string, from: number): number {
  const mark = `\n[/external_agent_tool_${kind}]`;
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    const end = at + mark.length;
    if (end === text.length || text.startsWith("\n\n", end)) return end;
  }
  return -1;
}
