import { stringifyJson, type WirePart, type WireSession } from "@pond/canonical";
import type { PartSummary, ShownMessage } from "@pond/sessions";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { formatBytes } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { formatMoment } from "./output/time.ts";

export function printSessionHeader({ output, home }: Context, session: WireSession): void {
  const { id, source_agent, project, created_at, parent_session_id } = session;
  const { strong, faint } = output.style;
  output.line(strong(safe`Session ${safeLine(id)}`));
  const where = safeLine(shortenHome(project, home));
  output.line(
    faint(safe`${safeLine(source_agent)} in ${where}, began ${formatMoment(created_at)}`),
  );
  if (parent_session_id !== undefined) {
    output.line(faint(safe`began in session ${safeLine(parent_session_id)}`));
  }
  output.line();
}

const lostPartsText =
  "  its parts are lost: `pond sync --verify` brings back what a client still holds";

/** Prints one message: who and when, what was said, and what else it holds. */
export function printMessage(
  output: Output,
  message: ShownMessage,
  { isTarget = false }: { readonly isTarget?: boolean } = {},
): void {
  const { style } = output;
  const who = message.role === "user" ? style.accent : style.good;
  const changed = message.removed ? "gone from its source" : message.revised && "revised";
  const state = changed ? style.warning(safe`  ${safeText(changed)}`) : safeText("");
  const mark = isTarget ? style.match(safeText(">")) : safeText("");
  const role = style.strong(who(safeLine(message.role)));
  const rest = style.faint(safe`${formatMoment(message.timestamp)}  ${safeLine(message.id)}`);
  output.line(safe`${mark}${role}  ${rest}${state}`);
  if (message.damaged) output.line(style.warning(safeText(lostPartsText)));
  for (const text of bodyOf(message)) output.line(text);
  const summary = (message.parts_summary ?? []).filter((part) => !isConversationText(part));
  if (summary.length > 0) output.line(style.faint(safe`  ${summarize(summary)}`));
  output.line();
}

/** True for content that is shown above its summary. */
function isConversationText({ type, provenance }: PartSummary): boolean {
  return type === "text" && provenance === "conversational";
}

function bodyOf({ text, content }: ShownMessage): SafeText[] {
  if (text !== undefined) return [safeText(text)];
  if (content === undefined) return [];
  if (typeof content === "string") return content === "" ? [] : [safeText(content)];
  return content.map(describePart);
}

/** A part with everything it holds, except for bytes. */
function describePart(part: WirePart): SafeText {
  const note = part.provenance === "injected" ? safeText(" (injected)") : safeText("");
  switch (part.type) {
    case "text":
      return part.provenance === "injected"
        ? safe`[text${note}] ${safeText(part.text)}`
        : safeText(part.text);
    case "reasoning":
      return safe`[reasoning${note}] ${safeText(part.text)}`;
    case "tool_call":
      return safe`[tool_call ${safeLine(part.name)}] ${safeText(stringifyJson(part.params))}`;
    case "tool_result": {
      const state = part.is_failure ? safeText(" failed") : safeText("");
      return safe`[tool_result${state}] ${resultText(part.result)}`;
    }
    case "file":
      return safe`[file ${safeLine(part.file_name ?? part.media_type)}${note}]`;
    case "tool_approval_request":
      return safe`[tool_approval_request ${safeLine(part.tool_call_id)}]`;
    case "tool_approval_response":
      return safe`[tool_approval_response ${safeText(part.approved ? "approved" : "denied")}]`;
  }
}

function resultText(result: Extract<WirePart, { type: "tool_result" }>["result"]): SafeText {
  return safeText(typeof result === "string" ? result : stringifyJson(result));
}

/** `tool_call Bash (120 B), reasoning (2.1 kB), text (injected, 207 B)` */
function summarize(parts: readonly PartSummary[]): SafeText {
  const each = parts.map(({ type, provenance, name, bytes }) => {
    const called = name === undefined ? safeText("") : safe` ${safeLine(name)}`;
    const origin = safeText(type === "text" && provenance === "injected" ? "injected, " : "");
    return safe`${safeLine(type)}${called} (${origin}${formatBytes(bytes)})`;
  });
  return joinSafe(each, ", ");
}
