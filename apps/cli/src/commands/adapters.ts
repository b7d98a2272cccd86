import { statSync } from "node:fs";
import type { Adapter, Reader } from "@pond/canonical/adapter";
import { Command } from "commander";
import { chooseAdapters } from "../choose-adapters.ts";
import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import { describeClientWithoutHome } from "../missing-clients.ts";
import { formatBytes, formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { safeLine, safeText } from "../output/safe-text.ts";
import type { RunAction } from "../run.ts";

type AdapterPlace = {
  readonly path: string;
  readonly exists: boolean;
  readonly sessions: number;
  readonly bytes: number;
  /** What could not be looked at there. */
  readonly faults: number;
};

type AdapterEntry = {
  readonly name: string;
  readonly enabled: boolean;
  readonly places: readonly AdapterPlace[];
};

export function adaptersCommand(run: RunAction): Command {
  return new Command("adapters")
    .description("list the clients pond knows and what each has on this machine")
    .action((_flags: unknown, command: Command) => run(command, listAdapters));
}

async function listAdapters(context: Context) {
  const { adapters } = await import("@pond/adapters");
  const { sources } = await chooseAdapters(
    context,
    adapters.map(({ origin }) => origin),
  );
  const entries: AdapterEntry[] = [];
  for (const adapter of adapters) {
    const own = sources.filter((source) => source.adapter === adapter.origin);
    const found = await Promise.all(own.map(({ path, reader }) => countSessions(path, reader)));
    entries.push({
      name: adapter.origin,
      enabled: context.settings.config.adapters[adapter.origin]?.isEnabled !== false,
      places: found.length > 0 ? found : missingHomes(context, adapter),
    });
  }
  if (context.output.isJson) context.output.jsonText(JSON.stringify({ adapters: entries }));
  else print(context, entries);
  return exitCodes.done;
}

async function countSessions(path: string, reader: Reader): Promise<AdapterPlace> {
  const place = { path, exists: isThere(path), sessions: 0, bytes: 0, faults: 0 };
  for await (const found of reader.sessions()) {
    if (found.kind === "fault") place.faults += 1;
    else {
      place.sessions += 1;
      place.bytes += found.bytes;
    }
  }
  return place;
}

/** True also for a place that cannot be looked at: what is there is not known. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function missingHomes({ home, env }: Context, adapter: Adapter): AdapterPlace[] {
  const noSessions = { exists: false, sessions: 0, bytes: 0, faults: 0 };
  return adapter.homes({ home, env }).map((path) => ({ path, ...noSessions }));
}

function print({ output, home }: Context, entries: readonly AdapterEntry[]): void {
  const columns = [
    { title: safeText("CLIENT"), style: output.style.strong },
    { title: safeText("PLACE"), minWidth: 12, cutAt: "start" },
    { title: safeText("SESSIONS"), align: "right" },
    { title: safeText("SIZE"), align: "right" },
    { title: safeText("STATE"), minWidth: 8 },
  ] as const;
  const none = safeText("-");
  const rows = entries.flatMap(({ name, enabled, places }) => {
    if (places.length === 0)
      return [[safeLine(name), none, none, none, safeText("no place named")]];
    return places.map((place) => [
      safeLine(name),
      safeLine(shortenHome(place.path, home)),
      place.exists ? formatCount(place.sessions) : none,
      place.exists ? formatBytes(place.bytes) : none,
      stateOf(place, enabled),
    ]);
  });
  printTable(output, columns, rows);
  for (const { name } of entries.filter(({ places }) => places.length === 0)) {
    output.note(describeClientWithoutHome(safeLine(name)));
  }
}

function stateOf({ exists, faults }: AdapterPlace, isEnabled: boolean) {
  if (!exists) return safeText("not here");
  if (!isEnabled) return safeText("off in config.toml");
  return faults > 0
    ? safeText(`${formatCounted(faults, "fault")}: pond sync names them`)
    : safeText("");
}
