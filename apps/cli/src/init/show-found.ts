import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { formatBytes, formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { printWrapped } from "../output/print-wrapped.ts";
import { type SafeText, safe, safeLine, safeText } from "../output/safe-text.ts";
import { formatWhen } from "../output/time.ts";
import type { FoundClient, FoundPlace } from "./found-clients.ts";

/** Shows what is on this machine, numbered for the choice, and which of it is about to be lost. */
export function showFound({ output, home, now }: Context, found: readonly FoundClient[]): void {
  const columns = [
    { title: safeText("#"), align: "right" },
    { title: safeText("CLIENT"), style: output.style.strong },
    { title: safeText("SESSIONS"), align: "right" },
    { title: safeText("SIZE"), align: "right" },
    { title: safeText("OLDEST"), minTableWidth: 60 },
    { title: safeText("PLACE"), minWidth: 12, cutAt: "start" },
  ] as const;
  const rows = found.flatMap(({ name, isEnabled, places }, at) =>
    places.map((place, index) => [
      safeText(index === 0 ? String(at + 1) : ""),
      safeText(index === 0 ? name : ""),
      formatCount(place.sessions),
      formatBytes(place.bytes),
      place.oldest === null ? safeText("") : formatWhen(place.oldest.toISOString(), now()),
      safe`${safeLine(shortenHome(place.path, home))}${safeText(isEnabled ? "" : " (switched off)")}`,
    ]),
  );
  printTable(output, columns, rows);
  const losses = found.flatMap(({ name, places }) =>
    places.flatMap((place) => (place.cleanUp === null ? [] : [lossOf(name, place, place.cleanUp)])),
  );
  for (const loss of losses) printWrapped(output, loss);
  output.line();
}

function lossOf(
  name: string,
  { path }: FoundPlace,
  { days, file, due, dueSoon }: NonNullable<FoundPlace["cleanUp"]>,
): SafeText {
  const why =
    file === null
      ? safeText("its default")
      : safe`cleanupPeriodDays in ${safeLine(`${path}/settings.json`)}`;
  const rule = safe`${safeText(name)} itself deletes a session ${formatCounted(days, "day")} after it was last written to (${why})`;
  const losses = [
    ...(due > 0 ? [safe`${formatCounted(due, "session")} at its next start`] : []),
    ...(dueSoon > 0 ? [safe`${formatCounted(dueSoon, "session")} within a week`] : []),
  ];
  const what = losses.length > 0 ? safeText(losses.join(" and ")) : safeText("none within a week");
  return safe`${rule}: ${what}. pond keeps what it has stored.`;
}
