import { isJsonObject, type JsonValue } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";

/**
 * Tests of a whole record. The first that holds makes everything in it injected, and names the
 * reason (`model-part-provenance`).
 */
const recordRules: readonly (readonly [kind: string, holds: (record: SourceRecord) => boolean])[] =
  [
    ["compact-summary", (record) => record.peek("isCompactSummary") === true],
    ["meta", (record) => record.peek("isMeta") === true],
    ["transcript-only", (record) => record.peek("isVisibleInTranscriptOnly") === true],
    ["tool-text", (record) => typeof record.peek("sourceToolUseID") === "string"],
    ["helper-prompt", isHelperPrompt],
    ["warmup", isWarmup],
  ];

/**
 * Why the harness wrote a user record; undefined if a human may have typed it.
 * `origin.kind: "human"` proves nothing, because some hosts put it on their own rows, too.
 */
export function injectedUser(record: SourceRecord): string | undefined {
  const rule = recordRules.find(([, holds]) => holds(record));
  if (rule) return rule[0];
  const source = record.peek("promptSource");
  if (typeof source === "string" && typedSources.includes(source)) return undefined;
  return (
    machineOrigin(record.record("origin")) ??
    (source === "system" ? source : machineTurn(record.peek("turnOrigin")))
  );
}

/**
 * True in the log of an agent that the client runs for its own purposes, on a copy of the
 * conversation.
 */
export function isHelperAgent(record: SourceRecord): boolean {
  const agent = record.peek("agentId");
  return typeof agent === "string" && helperAgents.test(agent);
}

const helperAgents = /^a(?:compact|prompt_suggestion|side_question)-/;

function isHelperPrompt(record: SourceRecord): boolean {
  if (!isHelperAgent(record)) return false;
  const said = textOf(record.record("message"));
  return helperPrompts.some((prompt) => said.startsWith(prompt));
}

const helperPrompts: readonly string[] = [
  "Your task is to create a detailed summary of ",
  "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
  "[SUGGESTION MODE: ",
];

/** The client starts its agents with this word, before anybody asks them for something. */
function isWarmup(record: SourceRecord): boolean {
  const isFirst = record.peek("isSidechain") === true && record.peek("parentUuid") === null;
  return isFirst && textOf(record.record("message")) === "Warmup";
}

/** The text of all blocks of a message. */
function textOf(message: SourceRecord | undefined): string {
  const content = message?.peek("content");
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

/** Why no human typed a queued command; undefined if a human did. */
export function injectedCommand(
  record: SourceRecord,
  attachment: SourceRecord,
): string | undefined {
  const mode = attachment.peek("commandMode");
  if (mode !== "prompt") return typeof mode === "string" ? mode : "queued-command";
  if (record.peek("isMeta") === true || attachment.peek("isMeta") === true) return "meta";
  return machineOrigin(attachment.record("origin"));
}

/** Why an assistant record is not the model's own words. */
export function injectedAssistant(record: SourceRecord, message: SourceRecord): string | undefined {
  const isError = record.peek("isApiErrorMessage");
  if (isError === true) return "synthetic";
  if (message.peek("model") !== "<synthetic>") return undefined;
  // Builds that say of a text that it is no error also keep under this name what a model had said
  // when it was interrupted.
  const isNotice = isError !== false || record.peek("error") !== undefined;
  return isNotice || placeholders.includes(textOf(message)) ? "synthetic" : undefined;
}

const interruptions: readonly string[] = [
  "[Request interrupted by user]",
  "[Request interrupted by user for tool use]",
];

/** The client's text if there is nothing to say, such as for a command without output. */
const noContent = "(no content)";

/** The client's texts in place of a missing answer. */
const placeholders: readonly string[] = ["", noContent, "No response requested.", ...interruptions];

/** Ways in which a human gave a prompt; whatever passed it on may have added its own origin. */
const typedSources: readonly string[] = ["typed", "queued", "suggestion_accepted"];

// New kinds come with every release; an unknown one is a machine's.
function machineOrigin(origin: SourceRecord | undefined): string | undefined {
  const kind = origin?.peek("kind");
  return typeof kind === "string" && !humanOrigins.includes(kind) ? kind : undefined;
}

const humanOrigins: readonly string[] = ["human", "remote", "suggestion"];

/** A program that uses the SDK speaks for whoever wrote its prompt. */
function machineTurn(turnOrigin: JsonValue | undefined): string | undefined {
  const isHuman = turnOrigin === "human" || turnOrigin === "sdk";
  return typeof turnOrigin === "string" && !isHuman ? turnOrigin : undefined;
}

/** Elements that the harness writes at the start of a user text; everything in them is its own. */
export const injectedTags: readonly string[] = [
  "system-reminder",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
  "new-diagnostics",
  "local-command-caveat",
  "local-command-stdout",
  "local-command-stderr",
  "bash-stdout",
  "bash-stderr",
  "bash-exit-code",
  "command-name",
  "command-message",
  "command-contents",
  "skill-format",
  "task-notification",
  "bash-notification",
  "agent-notification",
  "teammate-message",
  "agent-message",
  "cross-session-message",
  "coordinator-relay",
  "channel",
  "slack-ping",
  "slack-tag-message",
  "scheduled-task",
  "remote-review",
  "remote-review-progress",
  "fetched-web-content",
  "forked-skill-launch",
  "message-files-missing",
  "fork-boilerplate",
  "tick",
  "goal",
  "ci-monitor-event",
  "user-prompt-submit-hook",
  "post-tool-use-hook",
  "session-start-hook",
  "browser_instruction",
  "mcp-resource-update",
  "mcp-polling-update",
  "github-webhook-activity",
];

/**
 * Elements that belong to the harness only if they match this, because humans use these names, too.
 */
export const markedTags: Readonly<Record<string, RegExp>> = {
  browser: /^<browser\s[^>]*\btabGroupId=/,
  terminal: /^<terminal\s[^>]*\bname=/,
  uploaded_files: /^<uploaded_files>\s*<file>/,
};

/**
 * Elements whose content a human typed, with the tags one of which has to come before (or none).
 */
export const typedTags: Readonly<Record<string, readonly string[]>> = {
  "bash-input": [],
  "user-memory-input": [],
  "command-args": ["command-name", "command-message"],
};

/** The client's own commands whose arguments are only for it, such as the name of a model. */
export const settingsCommands: readonly string[] = [
  "/add-dir",
  "/advisor",
  "/autocompact",
  "/branch",
  "/cd",
  "/clear",
  "/color",
  "/config",
  "/context",
  "/effort",
  "/export",
  "/fast",
  "/focus",
  "/help",
  "/ide",
  "/import",
  "/login",
  "/mcp",
  "/model",
  "/output-style",
  "/permissions",
  "/plugin",
  "/reload-plugins",
  "/rename",
  "/resume",
  "/theme",
  "/tui",
  "/voice",
];

const startsWith = (prefix: string) => (text: string) => text.startsWith(prefix);
const equals = (whole: string) => (text: string) => text === whole;

/** The beginning of the remark after a message of another session. */
export const peerRemark = "This came from another Claude session";

/** Texts that are the harness's from the first to the last character. */
export const textRules: readonly (readonly [kind: string, holds: (text: string) => boolean])[] = [
  ["interrupt", (text) => interruptions.includes(text)],
  ["continue", equals("Continue from where you left off.")],
  ["no-content", equals(noContent)],
  ["compact-summary", startsWith("This session is being continued from a previous conversation")],
  [
    "local-command-caveat",
    // 1.0.0 says `are were`, and does not mark it in a copy that it resumes.
    (text) =>
      /^Caveat: The messages below (?:are )?were generated by the user while running local commands/.test(
        text,
      ),
  ],
  ["skill", startsWith("Base directory for this skill: ")],
  ["stop-hook", startsWith("Stop hook feedback:")],
  ["hook-stop", equals("Operation stopped by hook")],
  ["hook-stop", startsWith("Operation stopped by hook: ")],
  ["unknown-skill", (text) => /^Unknown skill: \S+$/.test(text)],
  ["unknown-command", (text) => /^Unknown command: \/\S+(?: Did you mean \/\S+\?)?$/.test(text)],
  ["command-refused", equals("Commands are in the form `/command [args]`")],
  [
    "command-refused",
    // Later builds say it as the output of the command.
    (text) =>
      /^This skill can only be invoked by Claude, not directly by users\. Ask Claude to use the "[^"\n]+" skill for you\.$/.test(
        text,
      ),
  ],
  [
    "peer-message",
    (text) =>
      text.startsWith("Another Claude session sent a message:\n") &&
      text.includes(`\n\n${peerRemark}`),
  ],
  ["system-notification", startsWith("[SYSTEM NOTIFICATION - NOT USER INPUT]")],
  ["peer-notice", startsWith("[Cross-session idle/delivery notice]")],
  ["no-visible-output", startsWith("[Your previous response had no visible output")],
  ["image-source", (text) => /^\[Image:? source: [^\]]*\]\s*$/.test(text)],
];

/**
 * The client's remark beside a result that names the tools it loaded; alone, it may come from a
 * human.
 */
export const toolLoaded: RegExp = /^Tool loaded\.(?:\n\[id:[^\]\n]+\])*\n?$/;

/** How a plan accepted with a cleared context begins, and how the harness's last sentence ends. */
export const planMarks = {
  prefix: "Implement the following plan:\n\n",
  transcript: "read the full transcript at: ",
} as const;

/** The sentences around a prompt that was typed while the model worked. */
export const midTurnMarks = {
  prefix: "The user sent a new message while you were working:\n",
  remark: "\n\nThis is how Claude Code surfaces",
} as const;

/** The text between the harness's words to a fork and those that it was started with. */
export const directiveMark = "Your directive: ";

/** The lines around what a human pasted; the client puts an empty line before the first. */
export const pasteMarks: {
  readonly open: RegExp;
  readonly close: (id: string) => string;
} = {
  open: /(?:^|\n\n)<pasted_content id="([0-9a-f]{4})">\n/,
  close: (id) => `\n</pasted_content id="${id}">`,
};
