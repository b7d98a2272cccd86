import type { RedactedCount, Redactor } from "@pond/share";
import { formatCount, formatCounted } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";

export type RedactionFlags = {
  readonly redact?: boolean;
  readonly userNames?: boolean;
};

/** Names of people, which are not secrets, are counted under this rule. */
const userNameRule = "user-name";

export const userNamesWithoutRedact = "--user-names needs --redact";

/** Makes a redactor if one is wanted. */
export async function createRedactorFor(flags: RedactionFlags): Promise<Redactor | undefined> {
  if (!flags.redact) return undefined;
  const { createRedactor } = await import("@pond/share");
  return createRedactor({ userNames: flags.userNames ?? false });
}

/** Notes what was replaced. */
export function noteRedacted(output: Output, counts: readonly RedactedCount[]): void {
  const found = totalOf(counts);
  output.note(
    found === 0
      ? safeText("Found no secret of a known form, so nothing was replaced.")
      : safe`Replaced ${describeCounts(counts)}.`,
  );
}

/** What an archive says about its own redaction. */
export function describeArchiveRedaction(counts: readonly RedactedCount[]): SafeText {
  return totalOf(counts) === 0
    ? safeText("It was redacted when it was made; no secret of a known form was found then.")
    : safe`It was redacted when it was made: placeholders stand for ${describeCounts(counts)}.`;
}

/** `3 secrets (2 jwt, 1 cookie) and 95 user names` */
function describeCounts(counts: readonly RedactedCount[]): SafeText {
  const secrets = counts.filter(({ rule }) => rule !== userNameRule);
  const found = totalOf(secrets);
  const names = totalOf(counts) - found;
  const each = secrets.map(({ rule, count }) => safe`${formatCount(count)} ${safeLine(rule)}`);
  const kinds: SafeText[] = [];
  if (found > 0) kinds.push(safe`${formatCounted(found, "secret")} (${joinSafe(each, ", ")})`);
  if (names > 0) kinds.push(formatCounted(names, "user name"));
  return joinSafe(kinds, " and ");
}

function totalOf(counts: readonly RedactedCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
