import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { objectAt } from "@pond/canonical/adapter";
import { type SessionDialect, type SessionEntry, textAt } from "./entry.ts";
import { ompView } from "./omp-view.ts";
import type { SessionTree } from "./tree.ts";

/** What a model is given when the session continues. */
export type SessionContext = {
  readonly messages: readonly JsonObject[];
  /** `off` if none was chosen. */
  readonly thinkingLevel: string;
  /** The model in use: the one of `models` under `default`. */
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  /** omp chooses a model for each role; pi only knows `default`. */
  readonly models: Readonly<Record<string, string>>;
  /** omp: the rules that it has injected already. */
  readonly injectedTtsrRules: readonly string[];
  /** omp: for example `plan`; `none` if there is none. */
  readonly mode: string;
};

/**
 * The context at an entry, by the rules of a client. `leafId` is null before the first entry.
 *
 * The newest compaction on the path replaces what came before it: its summary comes first, then
 * what it kept (from `firstKeptEntryId` on), then what came after. In omp a newer `reset_boundary`
 * ends everything before it. In pi the system prompt of the compaction replaces those that it kept,
 * and an entry is what the last `context_edit` made of it. Summaries of abandoned branches and
 * messages of extensions are messages, too.
 */
export function buildSessionContext(
  tree: SessionTree,
  leafId: string | null,
  dialect: SessionDialect,
): SessionContext {
  const path = leafId === null ? [] : tree.branch(leafId);
  const settings = settingsOf(path, dialect);
  const visible = visibleEntries(path, dialect);
  const edits = dialect === "pi" ? editsIn(visible) : new Map<string, JsonValue>();
  const messages = visible.flatMap((entry) => {
    const given = messagesOf(entry, dialect);
    const replacement = edits.get(entry.id);
    return replacement === undefined ? given : applyEdit(given, replacement);
  });
  return { messages: dialect === "omp" ? ompView(messages) : messages, ...settings };
}

/** The entries of a path that the model still sees, in the order in which it sees them. */
function visibleEntries(
  path: readonly SessionEntry[],
  dialect: SessionDialect,
): readonly SessionEntry[] {
  const compactionAt = path.findLastIndex(({ type }) => type === "compaction");
  const resetAt =
    dialect === "omp" ? path.findLastIndex(({ type }) => type === "reset_boundary") : -1;
  if (resetAt > compactionAt) return path.slice(resetAt + 1);
  const compaction = path[compactionAt];
  if (compaction === undefined) return path;
  const before = path.slice(0, compactionAt);
  const keptAt = before.findIndex(({ id }) => id === textAt(compaction, "firstKeptEntryId"));
  // An older compaction inside what was kept has no effect any more.
  const kept = keptAt < 0 ? [] : before.slice(Math.max(keptAt, resetAt + 1));
  const said = kept.filter((entry) => {
    const isReplaced = dialect === "pi" && objectAt(entry, "message")["role"] === "system";
    return entry.type !== "compaction" && !isReplaced;
  });
  return [compaction, ...said, ...path.slice(compactionAt + 1)];
}

/** The replacement of each entry's content, by its id: the last edit counts. */
function editsIn(visible: readonly SessionEntry[]): ReadonlyMap<string, JsonValue> {
  const edits = visible.flatMap((entry): [string, JsonValue][] => {
    const target = entry.type === "context_edit" ? textAt(entry, "targetId") : undefined;
    const { replacement } = entry;
    return target === undefined || replacement === undefined ? [] : [[target, replacement]];
  });
  return new Map(edits);
}

/** Null removes an entry; anything else gives it other content, if its role may have that. */
function applyEdit(messages: readonly JsonObject[], replacement: JsonValue): readonly JsonObject[] {
  if (!isJsonObject(replacement)) return [];
  const { content = null } = replacement;
  return messages.map((message) => {
    const role = textAt(message, "role") ?? "";
    if (!editable.includes(role)) return message;
    const isInBlocks = role === "assistant" || role === "toolResult";
    const isText = typeof content === "string";
    return {
      ...message,
      content: isInBlocks && isText ? [{ type: "text", text: content }] : content,
    };
  });
}

const editable: readonly string[] = ["user", "assistant", "toolResult", "custom"];

function messagesOf(entry: SessionEntry, dialect: SessionDialect): readonly JsonObject[] {
  const timestamp = Date.parse(textAt(entry, "timestamp") ?? "");
  switch (entry.type) {
    case "message":
      return [
        dialect === "pi" ? withContent(objectAt(entry, "message")) : objectAt(entry, "message"),
      ];
    case "compaction": {
      const { summary = null, tokensBefore = null, systemMessage } = entry;
      const summaryMessage = { role: "compactionSummary", summary, tokensBefore, timestamp };
      const isPrompt = dialect === "pi" && isJsonObject(systemMessage);
      return isPrompt ? [systemMessage, summaryMessage] : [summaryMessage];
    }
    case "branch_summary": {
      const { summary = null, fromId = null } = entry;
      const isEmpty = summary === null || summary === "";
      return isEmpty ? [] : [{ role: "branchSummary", summary, fromId, timestamp }];
    }
    case "custom_message":
      return [{ ...customMessage(entry, dialect), timestamp }];
    default:
      return [];
  }
}

/** pi gives a model nothing if a message of its own roles has no content. */
function withContent(message: JsonObject): JsonObject {
  const { role, content = null } = message;
  if (content !== null) return message;
  if (role === "system") return { ...message, content: "" };
  const isInBlocks = role === "user" || role === "assistant" || role === "toolResult";
  return isInBlocks ? { ...message, content: [] } : message;
}

function customMessage(entry: SessionEntry, dialect: SessionDialect): JsonObject {
  const keys = ["customType", "content", "display", "details"];
  if (dialect === "omp") keys.push("attribution");
  const given = keys.flatMap((key): [string, JsonValue][] => {
    const value = entry[key];
    return value === undefined ? [] : [[key, value]];
  });
  const message = { role: "custom", ...Object.fromEntries(given) };
  const isIncomplete = dialect === "pi" && (entry["content"] ?? null) === null;
  return isIncomplete ? { ...message, content: [] } : message;
}

type Settings = Omit<SessionContext, "messages">;

function settingsOf(path: readonly SessionEntry[], dialect: SessionDialect): Settings {
  let thinkingLevel = "off";
  let mode = "none";
  const models: Record<string, string> = {};
  let model: SessionContext["model"] = null;
  const rules = new Set<string>();
  let isChosen = false;
  for (const entry of path) {
    switch (entry.type) {
      case "thinking_level_change":
        thinkingLevel = textAt(entry, "thinkingLevel") ?? "off";
        break;
      case "model_change": {
        const role = (dialect === "omp" && textAt(entry, "role")) || "default";
        const changed = changedModel(entry, dialect);
        if (changed === undefined) break;
        models[role] = changed.name;
        if (role === "default") model = changed.model;
        // omp: the chosen model outlasts the models that answered in its place.
        if (dialect === "omp" && role === "default") isChosen = true;
        break;
      }
      case "message": {
        const { role, provider, model: id } = objectAt(entry, "message");
        if (role !== "assistant" || isChosen) break;
        models["default"] = `${provider}/${id}`;
        model = modelOf(`${provider}`, `${id}`, dialect);
        break;
      }
      case "mode_change":
        mode = textAt(entry, "mode") ?? mode;
        break;
      case "ttsr_injection":
        for (const rule of listAt(entry, "injectedRules")) rules.add(rule);
    }
  }
  return { thinkingLevel, model, models, injectedTtsrRules: [...rules], mode };
}

type Model = NonNullable<SessionContext["model"]>;

function changedModel(
  entry: SessionEntry,
  dialect: SessionDialect,
): { readonly name: string; readonly model: Model } | undefined {
  if (dialect === "omp") {
    const name = textAt(entry, "model") || undefined;
    return name === undefined ? undefined : { name, model: splitModel(name) };
  }
  const [provider, modelId] = [`${textAt(entry, "provider")}`, `${textAt(entry, "modelId")}`];
  return { name: `${provider}/${modelId}`, model: { provider, modelId } };
}

/** omp keeps one name of both, pi each. */
function modelOf(provider: string, modelId: string, dialect: SessionDialect): Model {
  return dialect === "omp" ? splitModel(`${provider}/${modelId}`) : { provider, modelId };
}

/** The provider is what precedes the first slash, if any; ids of models may hold more of them. */
function splitModel(name: string): Model {
  const slash = name.indexOf("/");
  return { provider: name.slice(0, Math.max(slash, 0)), modelId: name.slice(slash + 1) };
}

function listAt(entry: SessionEntry, key: string): readonly string[] {
  const list = entry[key];
  return Array.isArray(list)
    ? list.filter((each: JsonValue): each is string => typeof each === "string")
    : [];
}
