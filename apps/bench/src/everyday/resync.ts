import { join } from "node:path";
import { type GeneratedCorpus, generateCorpus, growSession } from "../generated/corpus.ts";
import { Home, medianRun } from "../shared/home.ts";
import { messagesOf, syncHome } from "../shared/importing.ts";
import type { Measure } from "./measure.ts";

const manySessions = { sessions: 10_000, recordsPerSession: 5 };

/** What a sync costs if little or nothing changed. */
export function measureResync(home: Home, corpus: GeneratedCorpus): Measure[] {
  return [
    measureNoOp(home, corpus),
    ...withManySessions((other, sessions) => [
      measureNoOp(other, sessions),
      measureGrown(other, sessions),
    ]),
  ];
}

function withManySessions(
  measure: (home: Home, corpus: GeneratedCorpus) => Measure[],
): readonly Measure[] {
  const home = new Home();
  try {
    const corpus = generateCorpus(join(home.folder, "client"), manySessions);
    syncHome(home, corpus.home);
    return measure(home, corpus);
  } finally {
    home.remove();
  }
}

function measureNoOp(home: Home, corpus: GeneratedCorpus): Measure {
  const { cpuMs } = medianRun(5, () => syncHome(home, corpus.home));
  const { length: sessions } = corpus.files;
  const allowedMs = Math.max(1, corpus.records / 100_000) * 200;
  return {
    what: `no-op sync, ${sessions} sessions, ${corpus.records} messages, process time`,
    value: cpuMs,
    unit: "ms",
    bar: { text: `under ${allowedMs.toFixed(0)} ms`, isMet: cpuMs < allowedMs },
  };
}

function measureGrown(home: Home, corpus: GeneratedCorpus): Measure {
  const [file = ""] = corpus.files;
  let turn = 0;
  const { wallMs } = medianRun(5, () => {
    growSession(file, turn++);
    const run = syncHome(home, corpus.home);
    if (messagesOf(run) === 0) throw new Error("a grown session was not read");
    return run;
  });
  return {
    what: `one grown session among ${corpus.files.length}`,
    value: wallMs,
    unit: "ms",
    bar: { text: "under 500 ms", isMet: wallMs < 500 },
  };
}
