import type { Message } from "@pond/canonical";
import { lineUpFrom, type Place, recordOf, uuidOf } from "./log-tree.ts";
import { isAttachment, isTurnRow } from "./row-kinds.ts";

/** A note of the client that it went back: all from behind `leaf` up to it is left. */
export type Rewind = { readonly at: number; readonly leaf: number };

export function rewindsOf(messages: readonly Message[]): readonly Rewind[] {
  // The first where a row stands again.
  const rows = [...messages.entries()].reverse();
  const indexes = new Map(rows.map(([index, message]) => [uuidOf(message), index]));
  return messages.flatMap((message, at) => {
    const { type, explicit, leafUuid = "" } = recordOf(message);
    if (type !== "last-prompt" || explicit !== true) return [];
    // Without a leaf it went back to the start.
    const leaf = leafUuid === null ? -1 : indexes.get(leafUuid);
    return leaf === undefined || leaf > at ? [] : [{ at, leaf }];
  });
}

/**
 * What the client goes on from: the newest row of the tree, whatever it is, or what it went back to
 * since; and what stands above that. A row without a turn above it, such as that of a hook which ran
 * before the first prompt, is passed over.
 */
export function mainLineOf(
  messages: readonly Message[],
  places: readonly Place[],
  rewind: Rewind | undefined,
): ReadonlySet<number> {
  const withTurns = rowsWithTurns(messages, places);
  const newest = messages.findLastIndex(
    (row, at) => isRowOfTree(row) && withTurns.has(at) && places[at]?.isAgain === false,
  );
  const line = lineUpFrom(newest, places);
  if (rewind === undefined) return line;
  const { at, leaf } = rewind;
  // The client forgets that it went back to the start with the first row that follows.
  if (leaf < 0) return at > messages.findLastIndex(isRowOfTree) ? new Set() : line;
  const back = lineUpFrom(leaf, places);
  // Beside a gap nothing says whether the newest stands below.
  const isBelow = line.has(leaf) || [...back].every((each) => !line.has(each));
  return (newest > at && isBelow) || !withTurns.has(leaf) ? line : back;
}

/** What was attached behind the last turn of the main line, such as prompts that were queued. */
export function attachedBehind(
  messages: readonly Message[],
  places: readonly Place[],
  main: ReadonlySet<number>,
): ReadonlySet<number> {
  const lastTurn = messages.findLastIndex(
    (message, at) => main.has(at) && isTurnRow(message) && places[at]?.isSame === false,
  );
  const attached = new Set<number>();
  for (const [at, message] of messages.entries()) {
    const { parent } = places[at] ?? {};
    const isBehind = parent !== undefined && (parent === lastTurn || attached.has(parent));
    if (isBehind && isAttachment(message)) attached.add(at);
  }
  return attached;
}

function isRowOfTree(message: Message): boolean {
  const { parentUuid, type } = recordOf(message);
  return parentUuid !== undefined && type !== "progress";
}

/** Turns, and the rows below one in the same tree. */
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
