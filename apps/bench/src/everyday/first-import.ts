import type { GeneratedCorpus } from "../generated/corpus.ts";
import type { Home, Run } from "../shared/home.ts";
import { messagesOf, parseCorpus, syncHome } from "../shared/importing.ts";
import { median } from "../shared/percentile.ts";
import type { Measure } from "./measure.ts";

/** The first import of a corpus, compared with only reading and parsing the same bytes. */
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

/** The peak memory of a process, compared with the bar for any sync. */
export function memory(what: string, { peakMb }: Run): Measure {
  return { what, value: peakMb, unit: "MB", bar: { text: "under 512 MB", isMet: peakMb < 512 } };
}
