import { type Message, type Part, partsOf, partToWire, stringifyJson } from "@pond/canonical";
import type { Lineage } from "@pond/canonical/adapter";

/** A lineage for people to read: a line for each session, message and part. */
export function showLineage({ root, descendants }: Lineage): string {
  return [root, ...descendants]
    .flatMap(({ session, messages }) => {
      const { id, parent_session_id: parent, parent_message_id: cutPoint, project } = session;
      const above = parent === undefined ? "" : ` below ${shownName(parent)}`;
      const at = cutPoint === undefined ? "" : ` from ${shownName(cutPoint)}`;
      const head = `session ${shownName(id)}${above}${at} in ${shownName(project)}`;
      return [head, ...messages.flatMap(messageLines)];
    })
    .join("\n");
}

function messageLines(message: Message): readonly string[] {
  if (message.role === "system") return [`  system ${shortened(stringifyJson(message.content))}`];
  return [`  ${message.role}`, ...partsOf(message).map((part) => `    ${partLine(part)}`)];
}

function partLine(part: Part): string {
  const { id, session_id, message_id, options, type, provenance, ...fields } = partToWire(part);
  const by = provenance === "injected" ? "injected " : "";
  return `${by}${type} ${shortened(stringifyJson(fields))}`;
}

function shownName(name: string): string {
  return stringifyJson(shortened(name, 60));
}

function shortened(text: string, length: number = 300): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
