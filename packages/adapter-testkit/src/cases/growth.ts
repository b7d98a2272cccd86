import { fail } from "node:assert/strict";
import type { ReadEvent } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import { eventDifference, eventName } from "../event-difference.ts";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { cuts, joinLines, mapLineFiles, wholeLines } from "../mutate.ts";
import { eventText } from "../read.ts";
import { readFiles } from "../read-files.ts";
import type { SourceFiles } from "../source-files.ts";

/** What was read once stays as it was while its source grows: a sync only adds. */
export function growthCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).flatMap((fixture) => [
    {
      rule: "adapter-integrity-additive-sync",
      name: `${fixture.name} only adds events while its lines are written`,
      run: () => expectLinesToAdd(kit, fixture),
    },
    {
      rule: "adapter-integrity-additive-sync",
      name: `${fixture.name} only adds events from state to state`,
      run: async () => {
        let before: Rows = new Map();
        for (const [index, files] of (await fixture.states()).entries()) {
          const after = await rowsOf(kit, files, withoutReplaced);
          expectAdded(before, after, `state ${index + 1}`);
          before = after;
        }
      },
    },
  ]);
}

async function expectLinesToAdd(kit: CompleteKit, fixture: Fixture): Promise<void> {
  const whole = mapLineFiles(kit, await fixture.load(), (lines) => lines);
  for (const [path, bytes] of whole) {
    if (!kit.isLineFile(path)) continue;
    const lines = wholeLines(bytes);
    let before: Rows = new Map();
    for (const count of cuts(lines.length)) {
      const cut = new Map(whole).set(path, joinLines(lines.slice(0, count)));
      const after = await rowsOf(kit, cut, withoutCutPoint);
      expectAdded(before, after, `${path} at ${count} of ${lines.length} records`);
      before = after;
    }
  }
}

/** The events of each session, as texts. */
type Rows = ReadonlyMap<string, readonly string[]>;

async function rowsOf(
  kit: CompleteKit,
  files: SourceFiles,
  toText: (event: ReadEvent) => string,
): Promise<Rows> {
  const rows = new Map<string, string[]>();
  const { sessions } = await readFiles(kit, files);
  for (const [key, events] of sessions) rows.set(key, events.map(toText));
  return rows;
}

function expectAdded(before: Rows, after: Rows, where: string): void {
  for (const [key, earlier] of before) {
    const later = after.get(key);
    if (later === undefined) fail(`${where}: session ${key} is gone`);
    const places = new Map(later.map((text, at) => [eventName(text), at]));
    let last = -1;
    for (const text of earlier) {
      const name = eventName(text);
      const place = places.get(name);
      const difference = eventDifference(text, place === undefined ? undefined : later[place]);
      if (difference !== undefined) fail(`${where}, session ${key}: ${difference}`);
      if (place !== undefined && place < last) fail(`${where}, session ${key}: ${name} moved up`);
      last = place ?? last;
    }
  }
}

/**
 * The event as text. A client copies history into a fork line by line, so the end of it moves on.
 */
function withoutCutPoint(event: ReadEvent): string {
  if (event.kind !== "session") return eventText(event);
  const { parent_message_id: _, ...session } = event.session;
  return eventText({ kind: "session", session });
}

/**
 * The event as text, without what a client that rewrites its files replaces at any time: facts of
 * the session, and its title.
 */
function withoutReplaced(event: ReadEvent): string {
  if (event.kind === "session")
    return eventText({ kind: "session", session: { ...event.session, options: {} } });
  if (event.kind === "message" && sourceOf(event.message)["titleField"] !== undefined)
    return eventText({ kind: "message", message: { ...event.message, options: {} } });
  return eventText(event);
}
