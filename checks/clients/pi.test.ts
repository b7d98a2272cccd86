import { isUtf8 } from "node:buffer";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionFile } from "@pond/adapter-pi";
import { type JsonObject, stringifyJson } from "@pond/canonical";
import type { Origin, SessionContent } from "@pond/canonical/adapter";
import { afterAll, describe, expect, test } from "vitest";
import { copyWritable } from "../copy-writable.ts";
import { twoIn } from "../e2e/compare.ts";
import { missingFromHistory } from "./missing-from-history.ts";
import { historyFromPi } from "./model-history.ts";
import {
  exportWithPi,
  installOmp,
  installPi,
  type OpenedSession,
  openWithPi,
  type PiClient,
  withStableIds,
} from "./pi.ts";
import { chosenSources, foreignTo, homesOf, spread } from "./sources.ts";
import { contentsOf, lineageOf, once, restoreForeign, restoreHome, storeHome } from "./stored.ts";

const temporary = mkdtempSync(join(tmpdir(), "pond-pi-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const clients = [await installPi(), await installOmp()].filter((client) => client !== undefined);

describe.each(clients)("$origin", { timeout: 180_000 }, (client) => {
  const { origin } = client;
  const restoredHome = once(async (home) => {
    const folder = mkdtempSync(join(temporary, "home-"));
    await restoreHome(await storeHome(origin, home, temporary), folder);
    return folder;
  });
  const openedAt = once((home) => openWithPi(client, home, sessionsIn(home)));

  /** The client skips a line that two records share. When restored, each has its own line. */
  function recordsApart(home: string, paths: readonly string[]): string {
    const mended = paths.flatMap((path) => {
      const [text, apart] = [readFileSync(join(home, path)), linesApart(join(home, path))];
      return text.equals(apart) ? [] : [{ path, apart }];
    });
    if (mended.length === 0) return home;
    const copy = mkdtempSync(join(temporary, "apart-"));
    copyWritable(home, copy);
    for (const { path, apart } of mended) writeFileSync(join(copy, path), apart);
    return copy;
  }

  test.each(homesOf(origin))(
    "opens every session of %s the same after pond restored the home",
    async (home) => {
      const paths = sessionsIn(home);

      const before = await openedAt(recordsApart(home, paths));
      const after = await openWithPi(client, await restoredHome(home), paths);

      expect(before).toHaveLength(paths.length);
      expect(after.map(withStableIds)).toEqual(before.map(withStableIds));
      await expectPage(client, await restoredHome(home), paths[0] ?? "", after[0]);
    },
  );

  test.each(homesOf(origin))(
    "gives a model the same context as our library does: %s",
    async (home) => {
      // The client gives an old file new ids each time, and an odd one no place in the tree.
      const files = sessionsIn(home).map((path) => ({
        path,
        ours: SessionFile.open(join(home, path), { dialect: origin, blobs: join(home, "blobs") }),
      }));
      const opened = await openedAt(home);

      const theirs = opened.map(({ messages, leafId, entries, settings }) => ({
        messages: messages.map(seen),
        leaf: entries.findIndex(({ id }) => id === leafId),
        thinking: settings["thinkingLevel"],
      }));
      expect(
        files.map(({ ours }) => ({
          messages: ours.context().messages.map(seen),
          leaf: ours.entries.findIndex(({ id }) => id === ours.leafId),
          thinking: ours.context().thinkingLevel,
        })),
      ).toEqual(theirs);
      expect(files.length).toBeGreaterThan(0);
    },
  );

  // Sessions of all other clients at once, because the client takes long to start.
  const openedForeign = once(async (folder) => {
    const restored: RestoredForeign[] = [];
    for (const foreign of foreignTo(origin)) {
      restored.push(...(await restoreSome(foreign, origin, folder)));
    }
    const opened = await openWithPi(
      client,
      folder,
      restored.map(({ path }) => path),
    );
    expect(opened).toHaveLength(restored.length);
    return restored.flatMap((each, index) => {
      const session = opened[index];
      return session ? [{ ...each, opened: session }] : [];
    });
  });
  const foreignHome = mkdtempSync(join(temporary, "home-"));

  test.each(foreignTo(origin))(
    "opens sessions of %s with all their messages, tool calls and results",
    async (foreign) => {
      const all = await openedForeign(foreignHome);
      const own = all.filter((each) => each.foreign === foreign);

      const unheard = own.map(({ content, path, opened }) => ({
        path,
        missing: missingFromHistory(content, historyFromPi(opened.messages), origin),
      }));
      expect(own).not.toEqual([]);
      expect(unheard.filter((each) => each.missing.length > 0)).toEqual([]);
    },
  );

  test("exports another client's session as a page with the same entries", async () => {
    const all = await openedForeign(foreignHome);
    const shown = Map.groupBy(all, ({ foreign }) => foreign).values();
    const chosen = spread([...shown], 1);

    for (const [first] of chosen) {
      await expectPage(client, foreignHome, first?.path ?? "", first?.opened);
    }
  });
});

type RestoredForeign = {
  readonly foreign: Origin;
  readonly content: SessionContent;
  /** The path below the folder that it was restored into. */
  readonly path: string;
};

/** Sessions of another client, as `origin` keeps them. */
async function restoreSome(
  foreign: Origin,
  origin: Origin,
  folder: string,
): Promise<RestoredForeign[]> {
  const store = once((home) => storeHome(foreign, home, temporary));
  const restored: RestoredForeign[] = [];
  for (const [index, { home, key }] of (await chosenSources(foreign, 6)).entries()) {
    const lineage = await lineageOf(await store(home), key);
    // A sub-agent may be chosen in addition to its parent session.
    const place = join(foreign, `source-${index}`);
    for (const { session, path } of await restoreForeign(lineage, origin, join(folder, place))) {
      const content = contentsOf(lineage).find((each) => each.session.id === session);
      if (content && path.endsWith(".jsonl")) {
        restored.push({ foreign, content, path: join(place, path) });
      }
    }
  }
  return restored;
}

/** A message as a model sees it, without the client's own notes. */
function seen({ role, content, summary, toolCallId, customType }: JsonObject): JsonObject {
  const entries = Object.entries({ role, content, summary, toolCallId, customType });
  const given = entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return JSON.parse(JSON.stringify(Object.fromEntries(given)));
}

/** The page for people shows the session as the client holds it. */
async function expectPage(
  client: PiClient,
  folder: string,
  path: string,
  opened: OpenedSession | undefined,
): Promise<void> {
  if (opened === undefined) throw new TypeError(`nothing was opened at ${path}`);
  const { header, leafId, entries } = opened;

  const page = await exportWithPi(client, folder, path);

  expect(withStableIds(page)).toEqual(withStableIds({ header, leafId, entries }));
}

function sessionsIn(home: string): string[] {
  return globSync("sessions/**/*.jsonl", { cwd: home }).sort();
}

/** A log in which records that share a line have their own lines. */
function linesApart(log: string): Buffer {
  const bytes = readFileSync(log);
  if (!isUtf8(bytes)) return bytes;
  const apart = bytes
    .toString()
    .split("\n")
    .flatMap((line) => {
      const two = twoIn(line);
      return two.length > 0 ? two.map(stringifyJson) : [line];
    });
  return Buffer.from(apart.join("\n"));
}
