import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Home } from "../shared/home.ts";
import { syncHome } from "../shared/importing.ts";
import { memory } from "./first-import.ts";
import type { Measure } from "./measure.ts";

const megabytes = 500;

/** Memory of a sync that meets one line of half a gigabyte. */
export async function measureLongLine(): Promise<Measure[]> {
  const home = new Home();
  try {
    const client = join(home.folder, "client");
    const folder = join(client, "projects", "-work-project-1");
    mkdirSync(folder, { recursive: true });
    await pipeline(longLine, createWriteStream(join(folder, "long.jsonl")));
    return [memory(`peak memory with a line of ${megabytes} MB`, syncHome(home, client))];
  } finally {
    home.remove();
  }
}

function* longLine(): Generator<string> {
  const record = {
    type: "user",
    uuid: "first",
    sessionId: "long",
    cwd: "/work/project-1",
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: "user", content: "a short one first" },
  };
  yield `${JSON.stringify(record)}\n{"type":"long","text":"`;
  const megabyte = "x".repeat(1_000_000);
  for (let size = 0; size < megabytes; size++) yield megabyte;
  yield '"}\n';
}
