import {
  type Change,
  countAsBefore,
  type GoneSessions,
  goneFrom,
  isLeft,
  listSource,
} from "./changes.ts";
import type { Source } from "./discover.ts";
import type { SyncProgress } from "./progress.ts";
import { type AdapterReport, emptyReport } from "./report.ts";
import type { Stored } from "./seen-file.ts";
import { SeenSessions } from "./seen-sessions.ts";
import { wholePlaces } from "./whole-places.ts";

/** One source with what has to be read of it. */
export type Work = {
  readonly source: Source;
  readonly seen: SeenSessions;
  readonly report: AdapterReport;
  readonly changed: readonly Change[];
};

export type Plan = {
  readonly works: readonly Work[];
  /** By adapter, holding what needs no reading so far. */
  readonly reports: ReadonlyMap<string, AdapterReport>;
};

export type PlanOptions = {
  readonly stateDirectory: string;
  readonly adapters?: readonly string[];
  readonly stored: Stored;
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
  const listed: Listed[] = [];
  const nowMs = now().getTime();
  for (const source of await wholePlaces(sources, stateDirectory, options.signal)) {
    const { adapter } = source;
    const report = reports.get(adapter) ?? emptyReport(adapter);
    reports.set(adapter, report);
    const seen = await SeenSessions.load(stateDirectory, source, { stored, software });
    const sessions = await listSource(source, seen, report, {
      ...options,
      nowMs,
      onListed: (sessions) => onProgress?.({ stage: "list", adapter, sessions }),
    });
    listed.push({ source, seen, report, sessions });
  }
  const gone = goneFrom(listed.map(({ seen }) => seen));
  const works = listed.map(({ sessions, ...work }) => {
    return { ...work, changed: toRead(sessions, work, gone, options) };
  });
  return { works, reports };
}

type Listed = Omit<Work, "changed"> & { readonly sessions: readonly Change[] };

/** Those of the listed sessions that are read; the others are counted as they were. */
function toRead(
  sessions: readonly Change[],
  { seen, report }: Pick<Work, "seen" | "report">,
  gone: GoneSessions,
  { isVerifying, isPreview }: Pick<PlanOptions, "isVerifying" | "isPreview">,
): Change[] {
  return sessions.flatMap((each) => {
    const before = seen.get(each.key);
    if (each.isDue || before === undefined) return [each];
    if (isLeft(before, each, gone)) return [{ ...each, isDue: true }];
    if (isVerifying) return [each];
    countAsBefore(before, report, isPreview);
    return [];
  });
}
