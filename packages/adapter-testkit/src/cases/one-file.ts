import { ok } from "node:assert/strict";
import { relative } from "node:path";
import type { ReadEvent } from "@pond/canonical";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { findSessions, readAll, readSource } from "../read.ts";
import { withFolder } from "../source-files.ts";

/** Somebody may name one file of a session, and pond opens one to see what a client has of it. */
export function oneFileCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "adapter-integrity-no-silent-drops",
    name: `a reader of one file finds its session of ${fixture.name}`,
    run: async () => {
      await withFolder(await fixture.load(), async (folder) => {
        const reader = kit.reader(folder);
        const { sessions } = await findSessions(reader);
        for (const { key, file } of sessions) {
          const id = idOf(await readAll(reader, key));
          if (file === undefined || id === undefined) continue;
          const alone = await readSource(kit.reader(file));
          const isFound = [...alone.values()].map(idOf).includes(id);
          ok(isFound, `${relative(folder, file)}: a reader of it alone finds no session ${id}`);
        }
      });
    },
  }));
}

function idOf(events: readonly ReadEvent[]): string | undefined {
  return events.find((event) => event.kind === "session")?.session.id;
}
