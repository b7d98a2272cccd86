import type { Fidelity } from "@pond/canonical/adapter";
import { formatCount } from "./output/numbers.ts";
import { joinSafe, type SafeText, safe, safeText } from "./output/safe-text.ts";

/** `Not carried over: 7 system`: what is in none of the files; undefined if everything is. */
export function droppedText(reports: readonly Fidelity[]): SafeText | undefined {
  const counts = new Map<string, number>();
  for (const report of reports) {
    for (const [type, { dropped }] of Object.entries(report)) {
      if (dropped > 0) counts.set(type, (counts.get(type) ?? 0) + dropped);
    }
  }
  if (counts.size === 0) return undefined;
  const list = [...counts].map(
    ([type, count]) => safe`${formatCount(count)} ${safeText(type.replaceAll("_", " "))}`,
  );
  return safe`Not carried over: ${joinSafe(list, ", ")}`;
}
