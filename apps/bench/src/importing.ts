import { readFileSync } from "node:fs";
import type { GeneratedCorpus } from "./generated-corpus.ts";
import { type Measure, median } from "./measure.ts";
import type { Home, Run } from "./process.ts";

/** The first import of a corpus, against only reading and parsing the same bytes. */
export function measureImport(home: Home, corpus: GeneratedCorpus): Measure[] {
  const once = (): number => parseCorpus(corpus.files).wallMs;
  const parsing = median([once(), once(), once()]);
  const run = syncHome(home, corpus.home);
  const messages = messagesOf(run);
  const perSecond = (messages / run.wallMs) * 1000;
  const ratio = run.wallMs / parsing;
  const megabytes = (corpus.bytes / 1e6).toFixed(0);
  return [
    {
      what: `first import, ${messages} messages, ${megabytes} MB`,
      value: perSecond,
      unit: "messages/s",
      baseline: { name: "the time to read and JSON.parse", ratio },
      bar: { text: "40,000/s and within 3x", isMet: perSecond >= 40_000 && ratio <= 3 },
    },
    {
      what: "process time of that",
      value: run.cpuMs,
      unit: "ms",
      baseline: { name: "the time to read and JSON.parse", ratio: run.cpuMs / parsing },
    },
    memory("peak memory of that", run),
  ];
}

export function memory(what: string, { peakMb }: Run): Measure {
  return { what, value: peakMb, unit: "MB", bar: { text: "under 512 MB", isMet: peakMb < 512 } };
}

/** Syncs one Claude Code home. */
export function syncHome(home: Home, path: string): Run {
  return home.pond("sync", "claude-code", "--path", path, "--json");
}

export function messagesOf({ stdout }: Run): number {
  return JSON.parse(stdout).adapters[0].messages_added;
}

/** Reads and parses every line: the least any import has to do. */
export function parseCorpus(files: readonly string[]): Pick<Run, "wallMs" | "cpuMs"> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  for (const file of files) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line !== "") JSON.parse(line);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
}
