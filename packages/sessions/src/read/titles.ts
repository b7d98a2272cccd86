import type { Store } from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";
import { clientTitles } from "./client-titles.ts";
import { firstCommands } from "./first-commands.ts";
import { firstTexts } from "./first-texts.ts";

const titleChars = 120;

type CachedTitles = {
  readonly versions: string;
  /** By session; undefined for one without a title. */
  readonly titles: Map<string, string | undefined>;
};

const maxCachedTitles = 20_000;
const caches = new WeakMap<Store, CachedTitles>();

/**
 * The title of each session in its client, or else the beginning of what a person said first; if
 * nobody said anything, the command that began it. Kept as long as nothing is committed, because
 * searches find the same sessions again and again.
 */
export async function titles(
  { store }: SessionStore,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  // Asked before: what is read below may be newer, and is then read once more, but is never older.
  const versions = await versionsOf(store);
  const cached = caches.get(store);
  const kept = cached?.versions === versions ? cached : { versions, titles: new Map() };
  const unknown = sessionIds.filter((id) => !kept.titles.has(id));
  const loaded = await loadTitles(store, unknown);
  for (const id of unknown) kept.titles.set(id, loaded.get(id));
  if (kept.titles.size > maxCachedTitles) caches.delete(store);
  else caches.set(store, kept);
  return new Map(
    sessionIds.flatMap((id): [string, string][] => {
      const title = kept.titles.get(id);
      return title === undefined ? [] : [[id, title]];
    }),
  );
}

async function versionsOf(store: Store): Promise<string> {
  const tables = ["messages", "parts"].map((name) => store.table(name).version());
  return (await Promise.all(tables)).join();
}

async function loadTitles(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  if (sessionIds.length === 0) return new Map();
  const named = await clientTitles(store, sessionIds);
  const nameless = sessionIds.filter((id) => !named.has(id));
  const said = nameless.length > 0 ? await firstTexts(store, nameless) : new Map<string, string>();
  const textless = nameless.filter((id) => !said.has(id));
  const commands = await firstCommands(store, textless);
  return new Map([...named, ...said, ...commands].map(([id, text]) => [id, shorten(text)]));
}

function shorten(text: string): string {
  const line = text
    .trimStart()
    .slice(0, titleChars * 10)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= titleChars) return line;
  const withoutHalf = line.slice(0, titleChars).replace(/[\uD800-\uDBFF]$/, "");
  return `${withoutHalf.toWellFormed()}…`;
}
