import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { adapterNamed, adapters } from "@pond/adapters";
import type { Origin } from "@pond/canonical/adapter";
import { corpusFolder } from "../corpus.ts";

/** A session as its own client keeps it. */
export type Source = {
  readonly origin: Origin;
  /** The client's own folder. */
  readonly home: string;
  /** Names the session within the folder. */
  readonly key: string;
};

/** The clients whose sessions are foreign to another client. */
export function foreignTo(target: Origin): readonly Origin[] {
  return adapters.map(({ origin }) => origin).filter((origin) => origin !== target);
}

/** Folders of a client: our samples, and real sessions if there are any. */
export function homesOf(origin: Origin): readonly string[] {
  const samples = resolve("fixtures", "samples", origin);
  const corpus = corpusFolder(origin);
  return [...(existsSync(samples) ? [samples] : []), ...(corpus === undefined ? [] : [corpus])];
}

/** Sessions of a client: our samples, and `count` evenly spread real ones; all on request. */
export async function chosenSources(origin: Origin, count: number): Promise<readonly Source[]> {
  const sources = await Promise.all(homesOf(origin).map((home) => sourcesIn(origin, home)));
  return sources.flatMap((found) => spread(found, count));
}

/** `count` of many, evenly spread, because they are similar; all on request. Logs the rest. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  const every = process.env["POND_ALL"] ? 1 : Math.max(1, Math.ceil(all.length / count));
  const chosen = all.filter((_, index) => index % every === 0);
  if (chosen.length < all.length) {
    console.info(`${chosen.length} of ${all.length} sessions, evenly spread; POND_ALL=1 takes all`);
  }
  return chosen;
}

async function sourcesIn(origin: Origin, home: string): Promise<Source[]> {
  const found = await Array.fromAsync(adapterNamed(origin).from(home).sessions());
  return found
    .flatMap((session) => (session.kind === "source" ? [{ origin, home, key: session.key }] : []))
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}
