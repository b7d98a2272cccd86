import type { JsonValue, Message } from "@pond/canonical";
import { type Place, pathToRoot, recordOf, uuidOf } from "./log-tree.ts";
import { isAnswer, isAttachment, isPrompt, isSummary, isTurnRow } from "./row-kinds.ts";

/** The client went back: everything after `leaf` up to `at` is abandoned. */
export type Rewind = { readonly at: number; readonly leaf: number };

/** The rewinds that the client noted and did not take back. */
export function notedRewinds(messages: readonly Message[]): readonly Rewind[] {
  // The first occurrence, if a row is repeated.
  const rows = [...messages.entries()].reverse();
  const indexes = new Map(rows.map(([index, message]) => [uuidOf(message), index]));
  const noted: Rewind[] = [];
  for (const [at, message] of messages.entries()) {
    const { type, explicit, leafUuid = "" } = recordOf(message);
    if (type !== "last-prompt" || explicit !== true) continue;
    // Without a leaf it went back to the start.
    const leaf = leafUuid === null ? -1 : indexes.get(leafUuid);
    if (leafUuid === noLeaf) noted.length = 0;
    else if (leaf !== undefined && leaf <= at) noted.push({ at, leaf });
  }
  return noted;
}

/** Stands in place of a row if the client takes back what it noted. */
const noLeaf = "00000000-0000-0000-0000-000000000000";

/**
 * Prompts without a parent that come after others of the session. For these the client went back to
 * the start, which most builds do not note. Old builds begin another session in the log for
 * `/clear`, which takes nothing back; and if answers have no parent, the log does not say what
 * belongs together.
 */
export function unnotedRewinds(
  messages: readonly Message[],
  places: readonly Place[],
): readonly Rewind[] {
  const rewinds: Rewind[] = [];
  // Where each session began.
  const sessions = new Map<JsonValue | undefined, number>();
  for (const [at, message] of messages.entries()) {
    const { parentUuid, sessionId, isSidechain } = recordOf(message);
    const { tree = at, isRepeated } = places[at] ?? {};
    if (!isTurnRow(message) || isSidechain === true || isRepeated) continue;
    if (parentUuid === null && isAnswer(message)) return [];
    const isStart = parentUuid === null && isPrompt(message) && !isSummary(message);
    const start = sessions.get(sessionId);
    if (isStart && start !== undefined) rewinds.push({ at, leaf: start - 1 });
    if (start === undefined) sessions.set(sessionId, tree);
  }
  return rewinds;
}

/**
 * What the client continues: the newest row of the tree, whatever it is, or the row it has since
 * gone back to; and everything above it. A row without a turn above it, such as that of a hook that
 * ran before the first prompt, is skipped.
 */
export function mainLineOf(
  messages: readonly Message[],
  places: readonly Place[],
  rewind: Rewind | undefined,
): ReadonlySet<number> {
  const withTurns = rowsWithTurns(messages, places);
  const newest = messages.findLastIndex(
    (row, at) => isRowOfTree(row) && withTurns.has(at) && places[at]?.isRepeated === false,
  );
  const line = pathToRoot(newest, places);
  if (rewind === undefined) return line;
  const { at, leaf } = rewind;
  // The client forgets that it went back to the start with the first row that follows.
  if (leaf < 0) return at > messages.findLastIndex(isRowOfTree) ? new Set() : line;
  const back = pathToRoot(leaf, places);
  // Below a gap, nothing says whether the newest row belongs below it.
  const top = messages[[...line].at(-1) ?? -1];
  const { parentUuid, logicalParentUuid } = top ? recordOf(top) : {};
  const isGap = (parentUuid ?? logicalParentUuid ?? null) !== null;
  const isBelow = line.has(leaf) || (isGap && [...back].every((each) => !line.has(each)));
  return (newest > at && isBelow) || !withTurns.has(leaf) ? line : back;
}

/** A line, with the summaries that the client puts in front of what a compaction kept of it. */
export function withSummaries(
  line: ReadonlySet<number>,
  places: readonly Place[],
): ReadonlySet<number> {
  const summaries = [...places.entries()].filter(([, { tree }]) => {
    const { kept } = places[tree] ?? {};
    return kept !== undefined && line.has(kept);
  });
  return new Set([...line, ...summaries.map(([at]) => at)]);
}

/** What was attached after the last turn of the main line, such as queued prompts. */
export function attachedToLastTurn(
  messages: readonly Message[],
  places: readonly Place[],
  main: ReadonlySet<number>,
): ReadonlySet<number> {
  const lastTurn = messages.findLastIndex(
    (message, at) => main.has(at) && isTurnRow(message) && places[at]?.isSameRecord === false,
  );
  const attached = new Set<number>();
  for (const [at, message] of messages.entries()) {
    const { parent } = places[at] ?? {};
    const isBelowLastTurn = parent !== undefined && (parent === lastTurn || attached.has(parent));
    if (isBelowLastTurn && isAttachment(message)) attached.add(at);
  }
  return attached;
}

function isRowOfTree(message: Message): boolean {
  const { parentUuid, type } = recordOf(message);
  return parentUuid !== undefined && type !== "progress";
}

/** Turns, and the rows below a turn in the same tree. */
function rowsWithTurns(
  messages: readonly Message[],
  places: readonly Place[],
): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const [at, message] of messages.entries()) {
    const { parent = -1, tree } = places[at] ?? {};
    if (isTurnRow(message) || (tree !== at && rows.has(parent))) rows.add(at);
  }
  return rows;
}
