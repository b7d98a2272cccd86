import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { formatBytes, formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { type Shown, say, shown, shownLine } from "../output/shown.ts";
import { tell } from "../output/tell.ts";
import { formatWhen } from "../output/time.ts";
import type { FoundClient, FoundPlace } from "./found-clients.ts";

/** Shows what is on this machine, numbered for the choice, and which of it is about to be lost. */
export function showFound({ output, home, now }: Context, found: readonly FoundClient[]): void {
  const columns = [
    { title: shown("#"), align: "right" },
    { title: shown("CLIENT"), style: output.style.strong },
    { title: shown("SESSIONS"), align: "right" },
    { title: shown("SIZE"), align: "right" },
    { title: shown("OLDEST"), leastTableWidth: 60 },
    { title: shown("PLACE"), minWidth: 12, cutAt: "start" },
  ] as const;
  const rows = found.flatMap(({ name, isEnabled, places }, at) =>
    places.map((place, index) => [
      shown(index === 0 ? String(at + 1) : ""),
      shown(index === 0 ? name : ""),
      formatCount(place.sessions),
      formatBytes(place.bytes),
      place.oldest === null ? shown("") : formatWhen(place.oldest.toISOString(), now()),
      say`${shownLine(shortenHome(place.path, home))}${shown(isEnabled ? "" : " (switched off)")}`,
    ]),
  );
  printTable(output, columns, rows);
  const losses = found.flatMap(({ name, places }) =>
    places.flatMap((place) => (place.cleanUp === null ? [] : [lossOf(name, place, place.cleanUp)])),
  );
  for (const loss of losses) tell(output, loss);
  output.line();
}

function lossOf(
  name: string,
  { path }: FoundPlace,
  { days, file, due, dueSoon }: NonNullable<FoundPlace["cleanUp"]>,
): Shown {
  const why =
    file === null
      ? shown("its default")
      : say`cleanupPeriodDays in ${shownLine(`${path}/settings.json`)}`;
  const rule = say`${shown(name)} itself deletes a session ${formatCounted(days, "day")} after it was last written to (${why})`;
  const losses = [
    ...(due > 0 ? [say`${formatCounted(due, "session")} at its next start`] : []),
    ...(dueSoon > 0 ? [say`${formatCounted(dueSoon, "session")} within a week`] : []),
  ];
  const what = losses.length > 0 ? shown(losses.join(" and ")) : shown("none within a week");
  return say`${rule}: ${what}. pond keeps what it has stored.`;
}
