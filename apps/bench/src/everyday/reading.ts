import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { getSession, openSessions } from "@pond/sessions";
import { generateCorpus } from "../generated/corpus.ts";
import { type Home, medianRun } from "../shared/home.ts";
import { syncHome } from "../shared/importing.ts";
import { median } from "../shared/percentile.ts";
import type { Measure } from "./measure.ts";

const longSession = { sessions: 1, recordsPerSession: 6_000 };

/** What a person or an agent waits for once everything is stored. */
export async function measureReading(home: Home): Promise<Measure[]> {
  const corpus = generateCorpus(join(home.folder, "long"), longSession);
  syncHome(home, corpus.home);
  const [file = ""] = corpus.files;
  const id = basename(file, ".jsonl");
  const megabytes = statSync(file).size / 1e6;
  let copies = 0;
  const page = await pageMs(home, id);
  const restore = medianRun(3, () =>
    home.pond("restore", id, "--out", join(home.folder, `restored-${copies++}`)),
  );
  const help = medianRun(9, () => home.pond("--help"));
  const search = medianRun(9, () => home.pond("search", "bence zan", "--json"));
  return [
    measureAgainstMax("pond --help, whole process", help.wallMs, 100),
    measureAgainstMax("pond search, whole process", search.wallMs, 300),
    measureAgainstMax(`get a page of a ${megabytes.toFixed(0)} MB session, p50`, page, 10),
    measureAgainstMax(
      `restore a ${megabytes.toFixed(0)} MB session, whole process`,
      restore.wallMs,
      500 * (megabytes / 10),
    ),
  ];
}

function measureAgainstMax(what: string, value: number, maxMs: number): Measure {
  return {
    what,
    value,
    unit: "ms",
    bar: { text: `under ${maxMs.toFixed(0)} ms`, isMet: value < maxMs },
  };
}

async function pageMs(home: Home, id: string): Promise<number> {
  const sessions = await openSessions(home.storage);
  const times: number[] = [];
  let afterId: string | undefined;
  for (let page = 0; page < 40; page++) {
    const startedMs = performance.now();
    const { messages, messages_remaining } = await getSession(sessions, id, { afterId });
    times.push(performance.now() - startedMs);
    afterId = messages_remaining > 0 ? messages.at(-1)?.id : undefined;
  }
  sessions.close();
  return median(times);
}
