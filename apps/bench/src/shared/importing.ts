import { readFileSync } from "node:fs";
import type { Home, Run } from "./home.ts";
import { stopwatch, type TimeSpent } from "./stopwatch.ts";

/** Syncs one Claude Code home. */
export function syncHome(home: Home, path: string): Run {
  return home.pond("sync", "claude-code", "--path", path, "--json");
}

/** How many messages a sync says it added. */
export function messagesOf({ stdout }: Run): number {
  return JSON.parse(stdout).adapters[0].messages_added;
}

/** Reads and parses every line: the least that any import has to do. */
export function parseCorpus(files: readonly string[]): TimeSpent {
  const spent = stopwatch();
  for (const file of files) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line !== "") JSON.parse(line);
    }
  }
  return spent();
}
