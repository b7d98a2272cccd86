import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { openSessions } from "@pond/sessions";
import { isNotNull } from "@pond/substrate";
import type { GeneratedCorpus } from "../generated/corpus.ts";
import type { Home } from "../shared/home.ts";
import type { Measure } from "./measure.ts";

/** What a store takes on disk, right after the first import. */
export async function measureDisk(home: Home, corpus: GeneratedCorpus): Promise<Measure[]> {
  const searchable = await searchableBytes(home);
  const data = bytesBelow(home.storage, /\/data\//);
  const index = bytesBelow(home.storage, /\/_indices\//);
  return [
    {
      what: "data files",
      value: data / 1e6,
      unit: "MB",
      baseline: { name: "the source", ratio: data / corpus.bytes },
      bar: { text: "at most 0.5x", isMet: data / corpus.bytes <= 0.5 },
    },
    {
      what: "index files",
      value: index / 1e6,
      unit: "MB",
      baseline: { name: "the searchable text", ratio: index / searchable },
      bar: { text: "at most 0.5x", isMet: index / searchable <= 0.5 },
    },
    {
      what: "index files",
      value: index / 1e6,
      unit: "MB",
      baseline: { name: "the source", ratio: index / corpus.bytes },
    },
  ];
}

async function searchableBytes(home: Home): Promise<number> {
  const sessions = await openSessions(home.storage);
  const scan = { columns: ["search_text"], where: isNotNull("search_text") };
  let bytes = 0;
  for await (const rows of sessions.store.table("messages").scan(scan)) {
    for (const row of rows) bytes += Buffer.byteLength(String(row["search_text"]));
  }
  sessions.close();
  return bytes;
}

function bytesBelow(folder: string, pattern: RegExp): number {
  return globSync("**/*", { cwd: folder })
    .filter((file) => pattern.test(`/${file}`))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
