import type { RedactedCount, Redactor } from "@pond/share";
import { formatCount, formatCounted } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { joined, type Shown, say, shown, shownLine } from "./output/shown.ts";

export type RedactionFlags = {
  readonly redact?: boolean;
  readonly userNames?: boolean;
};

/** Names of people, which are not secrets, are counted under this rule. */
const userNameRule = "user-name";

export const userNamesWithoutRedact = "--user-names needs --redact";

/** Makes a redactor if one is wanted. */
export async function createRedaction(flags: RedactionFlags): Promise<Redactor | undefined> {
  if (!flags.redact) return undefined;
  const { createRedactor } = await import("@pond/share");
  return createRedactor({ userNames: flags.userNames ?? false });
}

/** Notes what was replaced. */
export function noteRedacted(output: Output, counts: readonly RedactedCount[]): void {
  const found = totalOf(counts);
  output.note(
    found === 0
      ? shown("Found no secret of a known form, so nothing was replaced.")
      : say`Replaced ${describeCounts(counts)}.`,
  );
}

/** What an archive says about its own redaction. */
export function describeArchived(counts: readonly RedactedCount[]): Shown {
  return totalOf(counts) === 0
    ? shown("It was redacted when it was made; no secret of a known form was found then.")
    : say`It was redacted when it was made: placeholders stand for ${describeCounts(counts)}.`;
}

/** `3 secrets (2 jwt, 1 cookie) and 95 user names` */
function describeCounts(counts: readonly RedactedCount[]): Shown {
  const secrets = counts.filter(({ rule }) => rule !== userNameRule);
  const found = totalOf(secrets);
  const names = totalOf(counts) - found;
  const each = secrets.map(({ rule, count }) => say`${formatCount(count)} ${shownLine(rule)}`);
  const kinds: Shown[] = [];
  if (found > 0) kinds.push(say`${formatCounted(found, "secret")} (${joined(each, ", ")})`);
  if (names > 0) kinds.push(formatCounted(names, "user name"));
  return joined(kinds, " and ");
}

function totalOf(counts: readonly RedactedCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
