import { existsSync } from "node:fs";
import type { Adapter, Reader } from "@pond/canonical/adapter";
import { Command } from "commander";
import { chooseAdapters } from "../choose-adapters.ts";
import { describeHomeless } from "../clients-missing.ts";
import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { exitCodes } from "../exit.ts";
import { formatBytes, formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { shown, shownLine } from "../output/shown.ts";
import type { RunAction } from "../run.ts";

type Place = {
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
  readonly places: readonly Place[];
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
    const found = await Promise.all(own.map(({ path, reader }) => look(path, reader)));
    entries.push({
      name: adapter.origin,
      enabled: context.settings.config.adapters[adapter.origin]?.isEnabled !== false,
      places: found.length > 0 ? found : missing(context, adapter),
    });
  }
  if (context.output.isJson) context.output.jsonText(JSON.stringify({ adapters: entries }));
  else print(context, entries);
  return exitCodes.done;
}

async function look(path: string, reader: Reader): Promise<Place> {
  const place = { path, exists: existsSync(path), sessions: 0, bytes: 0, faults: 0 };
  for await (const found of reader.sessions()) {
    if (found.kind === "fault") place.faults += 1;
    else {
      place.sessions += 1;
      place.bytes += found.bytes;
    }
  }
  return place;
}

function missing({ home, env }: Context, adapter: Adapter): Place[] {
  const nothing = { exists: false, sessions: 0, bytes: 0, faults: 0 };
  return adapter.homes({ home, env }).map((path) => ({ path, ...nothing }));
}

function print({ output, home }: Context, entries: readonly AdapterEntry[]): void {
  const columns = [
    { title: shown("CLIENT"), style: output.style.strong },
    { title: shown("PLACE"), minWidth: 12, cutAt: "start" },
    { title: shown("SESSIONS"), align: "right" },
    { title: shown("SIZE"), align: "right" },
    { title: shown("STATE"), minWidth: 8 },
  ] as const;
  const none = shown("-");
  const rows = entries.flatMap(({ name, enabled, places }) => {
    if (places.length === 0) return [[shownLine(name), none, none, none, shown("no place named")]];
    return places.map((place) => [
      shownLine(name),
      shownLine(shortenHome(place.path, home)),
      place.exists ? formatCount(place.sessions) : none,
      place.exists ? formatBytes(place.bytes) : none,
      stateOf(place, enabled),
    ]);
  });
  printTable(output, columns, rows);
  for (const { name } of entries.filter(({ places }) => places.length === 0)) {
    output.note(describeHomeless(shownLine(name)));
  }
}

function stateOf({ exists, faults }: Place, isEnabled: boolean) {
  if (!exists) return shown("not here");
  if (!isEnabled) return shown("off in config.toml");
  return faults > 0 ? shown(`${formatCounted(faults, "fault")}: pond sync names them`) : shown("");
}
