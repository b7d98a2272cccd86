import { stringifyJson, type WirePart, type WireSession } from "@pond/canonical";
import type { PartSummary, ShownMessage } from "@pond/sessions";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { formatBytes } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { joined, type Shown, say, shown, shownLine } from "./output/shown.ts";
import { formatMoment } from "./output/time.ts";

export function printSessionHeader({ output, home }: Context, session: WireSession): void {
  const { id, source_agent, project, created_at, parent_session_id } = session;
  const { strong, faint } = output.style;
  output.line(strong(say`Session ${shownLine(id)}`));
  const where = shownLine(shortenHome(project, home));
  output.line(
    faint(say`${shownLine(source_agent)} in ${where}, began ${formatMoment(created_at)}`),
  );
  if (parent_session_id !== undefined) {
    output.line(faint(say`began in session ${shownLine(parent_session_id)}`));
  }
  output.line();
}

const lost = "  its parts are lost: `pond sync --verify` brings back what a client still holds";

/** Prints one message: who and when, what was said, and what else it holds. */
export function printMessage(
  output: Output,
  message: ShownMessage,
  { isTarget = false }: { readonly isTarget?: boolean } = {},
): void {
  const { style } = output;
  const who = message.role === "user" ? style.accent : style.good;
  const changed = message.removed ? "gone from its source" : message.revised && "revised";
  const state = changed ? style.warning(say`  ${shown(changed)}`) : shown("");
  const mark = isTarget ? style.match(shown(">")) : shown("");
  const role = style.strong(who(shownLine(message.role)));
  const rest = style.faint(say`${formatMoment(message.timestamp)}  ${shownLine(message.id)}`);
  output.line(say`${mark}${role}  ${rest}${state}`);
  if (message.damaged) output.line(style.warning(shown(lost)));
  for (const text of bodyOf(message)) output.line(text);
  const summary = (message.parts_summary ?? []).filter((part) => !isSaid(part));
  if (summary.length > 0) output.line(style.faint(say`  ${summarize(summary)}`));
  output.line();
}

/** True for content that is shown above its summary. */
function isSaid({ type, provenance }: PartSummary): boolean {
  return type === "text" && provenance === "conversational";
}

function bodyOf({ text, content }: ShownMessage): Shown[] {
  if (text !== undefined) return [shown(text)];
  if (content === undefined) return [];
  if (typeof content === "string") return content === "" ? [] : [shown(content)];
  return content.map(describePart);
}

/** A part with everything it holds, except for bytes. */
function describePart(part: WirePart): Shown {
  const note = part.provenance === "injected" ? shown(" (injected)") : shown("");
  switch (part.type) {
    case "text":
      return part.provenance === "injected"
        ? say`[text${note}] ${shown(part.text)}`
        : shown(part.text);
    case "reasoning":
      return say`[reasoning${note}] ${shown(part.text)}`;
    case "tool_call":
      return say`[tool_call ${shownLine(part.name)}] ${shown(stringifyJson(part.params))}`;
    case "tool_result": {
      const state = part.is_failure ? shown(" failed") : shown("");
      return say`[tool_result${state}] ${resultText(part.result)}`;
    }
    case "file":
      return say`[file ${shownLine(part.file_name ?? part.media_type)}${note}]`;
    case "tool_approval_request":
      return say`[tool_approval_request ${shownLine(part.tool_call_id)}]`;
    case "tool_approval_response":
      return say`[tool_approval_response ${shown(part.approved ? "approved" : "denied")}]`;
  }
}

function resultText(result: Extract<WirePart, { type: "tool_result" }>["result"]): Shown {
  return shown(typeof result === "string" ? result : stringifyJson(result));
}

/** `tool_call Bash (120 B), reasoning (2.1 kB), text (injected, 207 B)` */
function summarize(parts: readonly PartSummary[]): Shown {
  const each = parts.map(({ type, provenance, name, bytes }) => {
    const called = name === undefined ? shown("") : say` ${shownLine(name)}`;
    const origin = shown(type === "text" && provenance === "injected" ? "injected, " : "");
    return say`${shownLine(type)}${called} (${origin}${formatBytes(bytes)})`;
  });
  return joined(each, ", ");
}
