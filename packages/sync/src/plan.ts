import {
  countAsBefore,
  type GoneSessions,
  goneSessions,
  isRemainingCopy,
  listSource,
} from "./changes.ts";
import { containingSources } from "./containing-sources.ts";
import type { Source } from "./discover.ts";
import type { ListedSessions } from "./listed-sessions.ts";
import type { SyncProgress } from "./progress.ts";
import { type AdapterReport, emptyReport } from "./report.ts";
import type { StoredRows } from "./seen-file.ts";
import { SeenSessions } from "./seen-sessions.ts";

/** One source with the sessions that have to be read. */
export type Work = {
  readonly source: Source;
  readonly seen: SeenSessions;
  readonly report: AdapterReport;
  readonly changed: ListedSessions;
};

export type Plan = {
  readonly works: readonly Work[];
  /** By adapter, with the sessions that need no reading counted so far. */
  readonly reports: ReadonlyMap<string, AdapterReport>;
};

export type PlanOptions = {
  readonly stateDirectory: string;
  readonly adapters?: readonly string[];
  readonly stored: StoredRows;
  readonly software?: string;
  readonly now: () => Date;
  readonly isVerifying?: boolean;
  readonly isPreview?: boolean;
  readonly onProgress?: (progress: SyncProgress) => void;
  readonly signal?: AbortSignal | undefined;
};

/** Lists every source and decides what to read; parses nothing and opens no session. */
export async function planImport(
  sources: readonly Source[],
  { stateDirectory, adapters = [], stored, software, now, onProgress, ...options }: PlanOptions,
): Promise<Plan> {
  const reports = new Map(adapters.map((name) => [name, emptyReport(name)]));
  const works: Work[] = [];
  const nowMs = now().getTime();
  for (const source of await containingSources(sources, stateDirectory, options.signal)) {
    const { adapter } = source;
    const report = reports.get(adapter) ?? emptyReport(adapter);
    reports.set(adapter, report);
    const seen = await SeenSessions.load(stateDirectory, source, { stored, software });
    const changed = await listSource(source, seen, report, {
      ...options,
      nowMs,
      onListed: (sessions) => onProgress?.({ stage: "list", adapter, sessions }),
    });
    works.push({ source, seen, report, changed });
  }
  const gone = goneSessions(works.map(({ seen }) => seen));
  for (const work of works) dropUnread(work, gone, options);
  return { works, reports };
}

/** Leaves listed sessions that are not read; they are counted as they were. */
function dropUnread(
  { changed, seen, report }: Work,
  gone: GoneSessions,
  { isVerifying, isPreview }: Pick<PlanOptions, "isVerifying" | "isPreview">,
): void {
  changed.keep((each) => {
    if (each.isDue || each.number === undefined) return each;
    // Most are as they were, and there may be a hundred thousand.
    if (each.isQuiet && !isVerifying && gone.size === 0) {
      report.sessions.unchanged += 1;
      return undefined;
    }
    const before = seen.at(each.number);
    if (before === undefined) return each;
    if (isRemainingCopy(before, each, gone)) return { isDue: true };
    if (isVerifying) return each;
    countAsBefore(before, report, isPreview);
    return undefined;
  });
}
