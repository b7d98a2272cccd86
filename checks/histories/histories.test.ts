import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { Random } from "../chaos/random.ts";
import { type Home, hasShortLogs, problemsOfHistory } from "./history.ts";

// Those that write JSON lines.
const clients = ["claude-code", "codex", "pi", "omp"];

// The same few each time; hundreds of others by hand.
const runs = Number(process.env["POND_HISTORIES"] ?? 2);
const seed = Number(process.env["POND_SEED"] ?? 8);

function homesOf(client: string): readonly Home[] {
  const folder = resolve("fixtures", client);
  const paths = readdirSync(folder)
    .filter((name) => name !== "_foreign")
    .map((name) => join(folder, name, "input"));
  return [resolve("fixtures/samples", client), ...paths]
    .map((path) => ({ client, path }))
    .filter(hasShortLogs);
}

test.each(clients)(
  `shows what the logs of %s hold, however they came to hold it (POND_SEED=${seed})`,
  async (client) => {
    const homes = homesOf(client);
    expect(homes).not.toEqual([]);

    for (let run = 0; run < runs; run++) {
      const home = homes[new Random(seed + run).below(homes.length)];
      if (home) expect(await problemsOfHistory(home, seed + run)).toEqual([]);
    }
  },
  runs * 120_000,
);
