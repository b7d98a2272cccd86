import { type Session, stringifyJson } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";
import {
  copyUuid,
  type Family,
  familyOf,
  Tally,
  titleOf,
  turnsOf,
  wellFormed,
} from "@pond/canonical/foreign";
import { itemsOf } from "./foreign/items.ts";
import { linesOf, type ThreadPlace } from "./foreign/lines.ts";
import { fileName, rolloutPath } from "./layout.ts";
import { origin } from "./origin.ts";
import { nameFile, nameLines } from "./thread-names.ts";

/**
 * Writes sessions of other clients as threads that this client resumes: the items that go to the
 * model, and the events that show them. Forks name the thread they were forked from; sub-agents are
 * spawned threads.
 */
export function* writeForeign(
  lineage: Lineage,
  meanings: Meanings,
  parents: readonly NativeParent[] = [],
): Generator<RestoredFile> {
  // A header that names anything but a thread's id cannot be read by the client.
  const named = parents.filter(({ path }) => threadIn(path) !== undefined);
  const family = familyOf(lineage, named);
  for (const content of [lineage.root, ...lineage.descendants]) {
    const title = titleOf(content.messages)?.text;
    const place = { ...placeOf(content.session, family), title };
    yield file(content, place, meanings);
    if (title !== undefined) yield nameOf(place, title);
  }
}

/**
 * The client shows only the name in this file and ignores what a thread says about its own name.
 */
function nameOf({ session, thread }: ThreadPlace, title: string): RestoredFile {
  const line = { id: thread, thread_name: wellFormed(title), updated_at: beganAt(session) };
  const content = [`${stringifyJson(line)}\n`];
  return { session: session.id, path: nameFile, content, shared: nameLines };
}

function beganAt({ created_at }: Session): string {
  return new Date(Number(created_at / 1000n)).toISOString();
}

function file(content: SessionContent, place: ThreadPlace, meanings: Meanings): RestoredFile {
  const { session } = content;
  const tally = new Tally();
  const turns = turnsOf(content, meanings, tally);
  const items = turns.flatMap((turn) => [...itemsOf(turn, tally)]);
  return {
    session: session.id,
    path: rolloutPath(beganAt(session), place.thread),
    content: { [Symbol.iterator]: () => linesOf(items, place) },
    fidelity: tally.fidelity(),
  };
}

function placeOf(session: Session, family: Family): ThreadPlace {
  const threadOf = (each: Session): string =>
    threadIn(family.nativePath(each) ?? "") ?? copyUuid(origin, each.id);
  const place = {
    session,
    thread: threadOf(session),
    mainThread: threadOf(family.mainOf(session)),
  };
  const parent = family.parentOf(session);
  const above = family.anyParentOf(session);
  if (parent) {
    return { ...place, spawn: { parentThread: threadOf(parent), depth: depthOf(session, family) } };
  }
  return above ? { ...place, forkedFrom: threadOf(above) } : place;
}

/** The thread that a file of the client is named for. */
function threadIn(path: string): string | undefined {
  return fileName(path.slice(path.lastIndexOf("/") + 1))?.thread;
}

/** How many parents are above; safe if they form a circle. */
function depthOf(session: Session, family: Family): number {
  const seen = new Set([session.id]);
  let above = family.parentOf(session);
  for (; above && !seen.has(above.id); above = family.parentOf(above)) seen.add(above.id);
  return seen.size - (above ? 0 : 1);
}
