import { userNameRule } from "./redact/patterns.ts";
import type { RedactedCount, Redactor } from "./redact/redactor.ts";
import { visibleLine } from "./visible.ts";

/** An RFC 3339 time as `2026-03-04 08:00:01`, in universal time. */
export function momentOf(rfc3339: string): string {
  const date = new Date(rfc3339);
  return Number.isNaN(date.getTime())
    ? visibleLine(rfc3339, 40)
    : date.toISOString().slice(0, 19).replace("T", " ");
}

/** The notes at the end of a page: how much it shows, and what was replaced. */
export function closingNotes(
  { count, silent }: { readonly count: number; readonly silent: number },
  redactor: Redactor | undefined,
): string {
  const notes = [`${count} ${count === 1 ? "message" : "messages"}.`];
  if (silent > 0) {
    notes.push(
      silent === 1
        ? "1 record that says nothing is left out."
        : `${silent} records that say nothing are left out.`,
    );
  }
  if (redactor) notes.push(describeCounts(redactor.counts()));
  notes.push("Times are universal time. Written by pond.");
  return notes.join(" ");
}

/** `Replaced: 3 secrets (2 jwt, 1 cookie) and 95 user names.` */
function describeCounts(counts: readonly RedactedCount[]): string {
  const totalOf = (some: readonly RedactedCount[]) =>
    some.reduce((sum, { count }) => sum + count, 0);
  const secrets = counts.filter(({ rule }) => rule !== userNameRule);
  const found = totalOf(secrets);
  const names = totalOf(counts) - found;
  const each = secrets.map(({ rule, count }) => `${count} ${rule}`).join(", ");
  const kinds: string[] = [];
  if (found > 0) kinds.push(`${found} ${found === 1 ? "secret" : "secrets"} (${each})`);
  if (names > 0) kinds.push(`${names} user ${names === 1 ? "name" : "names"}`);
  return kinds.length === 0
    ? "Looked for secrets; none of a known form was found."
    : `Replaced: ${kinds.join(" and ")}.`;
}

/** Whether a message continues the answer before it. Its steps, calls and results read as one. */
export function continuesAnswer(lastRole: string, role: string): boolean {
  const isStep = (each: string) => each === "assistant" || each === "tool";
  return isStep(lastRole) && role !== "user" && role !== "system";
}

/** The name of a role on a page. */
export function roleName(role: string): string {
  return (
    { user: "User", assistant: "Assistant", tool: "Tool", system: "System" }[role] ?? "Message"
  );
}

/** A number of bytes in a few characters. */
export function sizeOf(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
