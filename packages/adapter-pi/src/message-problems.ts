import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { base64Bytes, plainText } from "@pond/canonical/foreign";
import type { Dialect } from "./dialect.ts";
import { hashOf } from "./records/blobs.ts";

/** What the client would refuse in one message, without its context. */
export function messageProblems(message: JsonObject, dialect: Dialect): readonly string[] {
  const { role, content } = message;
  if (typeof role !== "string" || !rolesOf(dialect).includes(role)) {
    return [`has a message of role ${plainText(role)}`];
  }
  switch (role) {
    case "user":
    case "custom":
    case "developer":
      return typeof content === "string"
        ? []
        : contentProblems(content, ["text", "image"], dialect);
    case "assistant": {
      const known = answerBlocks(dialect);
      return [...answerProblems(message), ...contentProblems(content, known, dialect)];
    }
    case "toolResult":
      return [...resultProblems(message), ...contentProblems(content, ["text", "image"], dialect)];
    default:
      return [];
  }
}

function rolesOf({ hasAgents }: Dialect): readonly string[] {
  const shared = ["user", "assistant", "toolResult", "bashExecution", "custom"];
  return hasAgents
    ? [...shared, "developer", "pythonExecution", "fileMention"]
    : [...shared, "system"];
}

function answerBlocks({ hasAgents }: Dialect): readonly string[] {
  const shared = ["text", "thinking", "toolCall"];
  return hasAgents
    ? [...shared, "image", "redactedThinking", "fallback", "anthropicServerTool"]
    : shared;
}

function answerProblems({ api, provider, model, usage, stopReason }: JsonObject): string[] {
  const problems: string[] = [];
  if ([api, provider, model].some((name) => typeof name !== "string" || name === "")) {
    problems.push("does not say which model answered");
  }
  const counts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];
  const cost = isJsonObject(usage) ? usage["cost"] : undefined;
  const isCounted = isJsonObject(usage) && counts.every((key) => typeof usage[key] === "number");
  if (!isCounted || !isJsonObject(cost) || typeof cost["total"] !== "number") {
    problems.push("has no whole usage");
  }
  const reasons = ["stop", "length", "toolUse", "error", "aborted", "deferred"];
  if (typeof stopReason !== "string" || !reasons.includes(stopReason)) {
    problems.push(`stops for ${plainText(stopReason)}`);
  }
  return problems;
}

function resultProblems({ toolCallId, toolName, isError }: JsonObject): string[] {
  const isWhole =
    typeof toolCallId === "string" && typeof toolName === "string" && typeof isError === "boolean";
  return isWhole ? [] : ["is no whole answer to a call"];
}

function contentProblems(
  content: JsonValue | undefined,
  known: readonly string[],
  dialect: Dialect,
): readonly string[] {
  if (!Array.isArray(content)) return ["has no list of content"];
  return content.flatMap((block: JsonValue) => {
    const fields = isJsonObject(block) ? block : {};
    const type = plainText(fields["type"]);
    if (!known.includes(type)) return [`holds a block of type ${type}`];
    if (type === "image" && !isImage(fields, dialect)) return ["holds an image that is none"];
    return isWhole(type, fields) ? [] : [`holds a ${type} block that is not whole`];
  });
}

function isWhole(type: string, block: JsonObject): boolean {
  const isText = (key: string): boolean => typeof block[key] === "string";
  switch (type) {
    case "text":
      return isText("text");
    case "thinking":
      return isText("thinking");
    case "toolCall":
      return (
        isJsonObject(block["arguments"]) &&
        /^[A-Za-z0-9_|.:=+/-]+$/.test(plainText(block["id"] ?? "")) &&
        /^[A-Za-z0-9_.-]{1,128}$/.test(plainText(block["name"] ?? ""))
      );
    default:
      return true;
  }
}

/** True for an image whose bytes are there; omp's may be in files of their own. */
function isImage({ data, mimeType }: JsonObject, { hasBlobs }: Dialect): boolean {
  if (typeof data !== "string" || typeof mimeType !== "string") return false;
  return base64Bytes(data) !== undefined || (hasBlobs && hashOf(data) !== undefined);
}
