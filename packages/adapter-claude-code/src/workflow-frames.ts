import type { Span } from "@pond/canonical/adapter";

/** A line of the harness above what is indented below it. */
const frame: RegExp =
  /^\[Workflow harness — (?:(user request|computed task)|assistant context|automated trigger)\] /;

const indent = "  ";

/**
 * Cuts what a workflow gives to an agent, below lines of the harness that say where it comes from:
 * the task that a script made, and what a human had asked. Undefined for anything else. The harness
 * indents every line that is not its own, so a prompt that quotes one of its lines continues
 * differently.
 */
export function cutWorkflow(text: string): readonly Span[] | undefined {
  if (!frame.test(text)) return undefined;
  const spans: Span[] = [];
  const kind = "workflow";
  let isGiven = false;
  let [at, given] = [0, 0];
  for (const line of text.split("\n")) {
    const found = frame.exec(line);
    if (found === null && line !== "" && !line.startsWith(indent)) return undefined;
    if (found !== null) {
      if (given > 0) spans.push({ end: given, kind: undefined });
      [isGiven, given] = [found[1] !== undefined, 0];
    } else if (isGiven && line.trim() !== "") {
      if (given === 0) spans.push({ end: at + indent.length, kind });
      given = at + line.length;
    }
    at += line.length + 1;
  }
  if (spans.length === 0) return undefined;
  spans.push({ end: text.length, kind: given > 0 ? undefined : kind });
  return spans;
}
