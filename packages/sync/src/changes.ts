import type { FaultEvent } from "@pond/canonical";
import { leftAloneMs, type Reader, type SourceSession } from "@pond/canonical/adapter";
import type { Source } from "./discover.ts";
import { type Fault, faultFromThrown, maxFaultsPerSession, toFault } from "./fault.ts";
import { type ChangedSession, ListedSessions } from "./listed-sessions.ts";
import type { AdapterReport } from "./report.ts";
import type { Extent, SeenSession } from "./seen-file.ts";
import { noFingerprint, type SeenSessions } from "./seen-sessions.ts";
import { agreedAtOf, compareExtents } from "./session-places.ts";

export type ListOptions = {
  readonly nowMs: number;
  /** Makes both also report leftovers that a sync has already reported. */
  readonly isVerifying?: boolean;
  readonly isPreview?: boolean;
  readonly onListed?: (sessions: number) => void;
  readonly signal?: AbortSignal | undefined;
};

/** Lists a source: its sessions, due if they may have changed since they were last read. */
export async function listSource(
  source: Source,
  seen: SeenSessions,
  report: AdapterReport,
  options: ListOptions,
): Promise<ListedSessions> {
  const listed = new ListedSessions(seen);
  let count = 0;
  /** Leftovers that were reported, now or before. */
  const reported = new Set<string>();
  const { part } = source;
  let isComplete = true;
  let listedFaults = 0;
  const reportFault = (found: FaultEvent): void => {
    const fault = toFault(found);
    const { location, is_leftover: isLeftover } = fault;
    if (isLeftover && seen.hasReported(location)) {
      reported.add(location);
      if (!options.isVerifying && !options.isPreview) return;
    }
    if (isLeftover) report.leftovers += 1;
    listedFaults += 1;
    if (listedFaults > maxFaultsPerSession) {
      report.faults_omitted += 1;
      return;
    }
    report.faults.push(fault);
    if (isLeftover) reported.add(location);
  };
  for await (const found of listOf(source, options.signal)) {
    options.signal?.throwIfAborted();
    if (found.kind === "fault") {
      if (!found.isLeftover) isComplete = false;
      if (part === undefined) reportFault(found);
      continue;
    }
    // All of the place is listed: what has moved is known to be gone from where it was.
    count += 1;
    const before = seen.found(found.key);
    if (part && !part.keys.has(found.key)) continue;
    report.sessions.seen += 1;
    const { key, bytes } = found;
    const isDue =
      before === undefined ||
      hasChanged(before.session, found, options.nowMs) ||
      (await hasParentChanged(before.session, key, source));
    const isQuiet = before !== undefined && hasNothingToReport(before.session);
    listed.add(key, { number: before?.number, bytes, isDue, isQuiet });
    options.onListed?.(count);
  }
  for (const fault of part?.faults ?? []) reportFault(fault);
  seen.markGone(isComplete);
  seen.setReported(reported, isComplete && part === undefined);
  return listed;
}

/**
 * How far a session went that is gone now, and when its content there last agreed with the store.
 */
type GoneSession = { readonly extent: Extent; readonly agreedAt: number };

/** By the ids of the sessions; with several places, the most of each. */
export type GoneSessions = ReadonlyMap<string, GoneSession>;

export function goneSessions(sources: readonly SeenSessions[]): GoneSessions {
  const gone = new Map<string, GoneSession>();
  for (const seen of sources) {
    for (const session of seen.gone()) {
      const { sessionId, extent } = session;
      if (sessionId === undefined || extent === undefined) continue;
      const other = gone.get(sessionId);
      const isFurther = compareExtents(extent, other?.extent) > 0;
      gone.set(sessionId, {
        extent: other && !isFurther ? other.extent : extent,
        agreedAt: Math.max(other?.agreedAt ?? 0, agreedAtOf(session) ?? 0),
      });
    }
  }
  return gone;
}

/**
 * True for a copy of something that is gone elsewhere: the store may say that it is still there. A
 * copy that goes less far has older values, and so may one that was not read since the other
 * changed.
 */
export function isRemainingCopy(
  before: SeenSession,
  { bytes }: Pick<ChangedSession, "bytes">,
  gone: GoneSessions,
): boolean {
  const { sessionId, extent, hasFailed, isUnread } = before;
  // A session of which nothing could be read is not looked at by each sync.
  if (sessionId === undefined || hasFailed || isUnread || bytes === 0) return false;
  const other = gone.get(sessionId);
  if (extent === undefined || other === undefined) return false;
  const isUpToDate = (agreedAtOf(before) ?? 0) >= other.agreedAt;
  return isUpToDate && compareExtents(extent, other.extent) >= 0;
}

/**
 * The listing of a source. What its reader throws is a fault of this source, and costs no other.
 */
export async function* listOf(
  { adapter, path, reader }: Source,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceSession | FaultEvent> {
  try {
    for await (const found of reader.sessions(signal)) {
      if (typeof found !== "object" || found === null) {
        throw new TypeError(`the adapter lists ${found}: this is a defect of it`);
      }
      yield found;
    }
  } catch (error) {
    signal?.throwIfAborted();
    yield faultFromThrown(adapter, path, error);
  }
}

function hasChanged(before: SeenSession, found: SourceSession, nowMs: number): boolean {
  if (before.fingerprint !== found.fingerprint) return true;
  // Readers call a record settled when its session was left alone for that long.
  return before.pendingSinceMs !== undefined && nowMs - before.pendingSinceMs >= leftAloneMs;
}

/** True if more may be known by now about what a session descends from. */
async function hasParentChanged(
  { parentState }: SeenSession,
  key: string,
  { reader }: Source,
): Promise<boolean> {
  return parentState !== undefined && (await parentStateOf(reader, key)) !== parentState;
}

/** What a reader throws here it also throws when it reads, and that is reported. */
export async function parentStateOf(reader: Reader, key: string): Promise<string | undefined> {
  try {
    return await reader.parentState?.(key);
  } catch {
    return undefined;
  }
}

/**
 * Counts for a preview a session that the next sync reads, even if only to verify what did not
 * change.
 */
export function countDue(
  before: SeenSession | undefined,
  { isDue }: ChangedSession,
  report: AdapterReport,
): void {
  if (before === undefined) report.sessions.new += 1;
  // Every sync tries again what failed, and may well find the same.
  else if (before.hasFailed && before.fingerprint === noFingerprint) countAsBefore(before, report);
  else if (isDue) report.sessions.grown += 1;
  else countAsBefore(before, report, true);
}

/** True if {@link countAsBefore} only counts it as unchanged. */
function hasNothingToReport(before: SeenSession): boolean {
  const { hasFailed, pendingSinceMs, faults, omittedFaults, leftovers } = before;
  return !hasFailed && pendingSinceMs === undefined && !faults && !omittedFaults && !leftovers;
}

/**
 * Counts a session that is not read as it was counted when it was.
 *
 * @param includesReported - Also report leftovers that a sync has already reported.
 */
export function countAsBefore(
  before: SeenSession,
  report: AdapterReport,
  includesReported = false,
): void {
  if (before.hasFailed) report.sessions.failed += 1;
  else report.sessions.unchanged += 1;
  if (before.pendingSinceMs !== undefined) report.sessions.pending += 1;
  if (before.isLeftover && !includesReported) return;
  const { faults = [], omittedFaults = 0, isLeftover } = before;
  const { leftovers = faults.filter((each) => each.is_leftover).length } = before;
  // Older versions did not mark each of them.
  const leftoverMark: Pick<Fault, "is_leftover"> = isLeftover ? { is_leftover: true } : {};
  report.faults.push(...faults.map((each) => ({ ...each, ...leftoverMark })));
  report.faults_omitted += omittedFaults;
  report.leftovers += isLeftover ? faults.length + omittedFaults : leftovers;
}
