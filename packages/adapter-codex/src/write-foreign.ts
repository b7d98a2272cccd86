import type { Session } from "@pond/canonical";
import type { Lineage, ReadTool, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { copyUuid, type Family, familyOf, Tally, titleOf, turnsOf } from "@pond/canonical/foreign";
import { itemsOf } from "./foreign/items.ts";
import { linesOf, type ThreadPlace } from "./foreign/lines.ts";
import { rolloutPath } from "./layout.ts";
import { origin } from "./origin.ts";

/**
 * Sessions of other clients as threads this one resumes: the items that go to the model and the
 * events that show them. Forks stand by themselves, sub-agents are spawned threads.
 */
export function* writeForeign(lineage: Lineage, readTool: ReadTool): Generator<RestoredFile> {
  const family = familyOf(lineage);
  for (const content of [lineage.root, ...lineage.descendants]) {
    yield file(content, placeOf(content.session, family), readTool);
  }
}

function file(content: SessionContent, place: ThreadPlace, readTool: ReadTool): RestoredFile {
  const { session } = content;
  const tally = new Tally();
  const turns = turnsOf(content, readTool, tally);
  const items = turns.flatMap((turn) => [...itemsOf(turn, tally)]);
  const title = titleOf(content.messages)?.text;
  const began = new Date(Number(session.created_at / 1000n)).toISOString();
  return {
    session: session.id,
    path: rolloutPath(began, place.thread),
    content: { [Symbol.iterator]: () => linesOf(items, { ...place, title }) },
    fidelity: tally.fidelity(),
  };
}

function placeOf(session: Session, family: Family): ThreadPlace {
  const parent = family.parentOf(session);
  const threadOf = ({ id }: Session): string => copyUuid(origin, id);
  const place = {
    session,
    thread: threadOf(session),
    mainThread: threadOf(family.mainOf(session)),
  };
  if (parent === undefined) return place;
  return { ...place, spawn: { parentThread: threadOf(parent), depth: depthOf(session, family) } };
}

/** How many parents are above; safe where they form a circle. */
function depthOf(session: Session, family: Family): number {
  const seen = new Set([session.id]);
  let above = family.parentOf(session);
  for (; above && !seen.has(above.id); above = family.parentOf(above)) seen.add(above.id);
  return seen.size - (above ? 0 : 1);
}
