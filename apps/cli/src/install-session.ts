import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@pond/canonical";
import type { Adapter, CopyState, SessionContent } from "@pond/canonical/adapter";
import type { LineageFile, Restored } from "@pond/sessions";
import { compareCopy } from "./compare-copy.ts";
import { withoutOrphanLines } from "./plan-install.ts";
import { possibleStoredIds } from "./possible-stored-ids.ts";
import { realFolder } from "./real-folder.ts";
import type { WrittenCopies } from "./written-copies.ts";

/** A session as it is stored, and the client that is to continue it. */
type Target = {
  readonly content: SessionContent;
  readonly adapter: Adapter;
  /** The client's home. */
  readonly folder: string;
  readonly copies: WrittenCopies;
  readonly isForced: boolean;
};

/** The outcome. */
export type InstallResult = {
  readonly written: readonly LineageFile[];
  /** Files of other sessions that were there already. */
  readonly leftAsIs: readonly LineageFile[];
  /** Sessions of which the client is given nothing. */
  readonly existing: ReadonlySet<SessionId>;
  /** True if the session stays as it is there, and may lack what came later. */
  readonly isOutdated: boolean;
};

/**
 * Gives a client what it lacks of a session and of those below it: everything if it has none of it,
 * and what is new if nobody continued what it has. If somebody did, that is worth more than a copy.
 */
export async function installSession(restored: Restored, target: Target): Promise<InstallResult> {
  const { files } = restored;
  const { content, adapter, folder, copies, isForced } = target;
  const { hasAllLines, writeFiles } = await import("@pond/sessions");
  const { id } = content.session;
  const options = adapter.save ? { save: adapter.save } : {};
  const bySession = Map.groupBy(files, ({ session }) => session);
  const statesInDatabase = new Map(
    [...bySession].map(([key, own]) => [key, adapter.copyState?.(folder, own)]),
  );
  const main = files.find(({ session }) => session === id);
  const isNative = main?.part.isNative ?? false;
  const stateOf = async (file: LineageFile): Promise<CopyState> => {
    const place = join(folder, file.path);
    if (file.shared)
      return (await hasAllLines(place, file.content, file.shared)) ? "current" : "missing";
    const state = await compareCopy(place, file.content, copies.get(place));
    const isBehindLink = realFolder(place) !== join(realFolder(folder), file.path);
    // Nothing is written through a link.
    if (state === "earlier" && isBehindLink) return "other";
    // The same values may be written with other bytes.
    const isDifferent = file === main && isNative && state === "other";
    const isWhole = isDifferent && (await holdsEveryTurn(bySession.get(id) ?? [], target));
    return isWhole ? "current" : state;
  };

  const state = statesInDatabase.get(id) ?? (main === undefined ? "missing" : await stateOf(main));
  if (!isForced && (state === "other" || (state === "current" && isNative))) {
    const written = missingInherited(restored, id, folder);
    await writeFiles(written, folder, options);
    return {
      written,
      leftAsIs: [],
      existing: new Set(bySession.keys()),
      isOutdated: state === "other",
    };
  }
  const written: LineageFile[] = [];
  const leftAsIs: LineageFile[] = [];
  const existing = new Set<SessionId>();
  let isOutdated = false;
  for (const file of files) {
    const isOwn = file.session === id;
    const isReplaced = isOwn && isForced;
    const there = statesInDatabase.get(file.session);
    const isExisting = !isReplaced && (there === "current" || there === "other");
    if (isExisting) existing.add(file.session);
    const state = isExisting ? there : await stateOf(file);
    // What the client itself wrote below a copy is not a copy.
    const isBehind = state === "earlier" && file.part.isNative === isNative;
    if (state === "missing" || isBehind || isReplaced) written.push(file);
    else if (!isOwn && !file.shared) leftAsIs.push(file);
    else if (state === "other") isOutdated = true;
  }
  // No name is forced on a session that stays as it is.
  const named = withoutOrphanLines(written);
  await writeFiles(named, folder, { ...options, isForced: true });
  return { written: named, leftAsIs, existing, isOutdated };
}

/** What a session continues and its client lacks: the client refuses it without that. */
function missingInherited(
  { files, inheritedFrom }: Restored,
  id: string,
  folder: string,
): LineageFile[] {
  const needed = new Set<string>(inheritedFrom.get(id as SessionId));
  const own = files.filter(({ session, shared }) => needed.has(session) && !shared);
  const missing = new Set(own.filter(({ path }) => !existsSync(join(folder, path))));
  const missingIds = new Set([...missing].map(({ session }) => session));
  return files.filter((file) => missing.has(file) || (file.shared && missingIds.has(file.session)));
}

/**
 * True if every stored turn is in the client's files of a session, of which there may be several.
 */
async function holdsEveryTurn(
  files: readonly LineageFile[],
  { content, adapter, folder }: Target,
): Promise<boolean> {
  const { session, messages } = content;
  const missingIds = new Set(messages.filter(({ role }) => role !== "system").map(({ id }) => id));
  const own = files.filter(({ shared }) => !shared);
  for (const place of own.map(({ path }) => join(folder, path)).filter(existsSync)) {
    if (missingIds.size === 0) break;
    const reader = adapter.from(place);
    for await (const found of reader.sessions()) {
      if (found.kind !== "source") continue;
      let ids: readonly string[] = [];
      for await (const event of reader.read(found.key)) {
        if (event.kind === "session") ids = await possibleStoredIds(event.session);
        if (event.kind === "message" && ids.includes(session.id))
          missingIds.delete(event.message.id);
      }
    }
  }
  return missingIds.size === 0;
}
