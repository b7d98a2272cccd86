// Ingest while others search, and a server killed in the middle of it:
// node --conditions=@pond/source src/serving-ingest.ts [--events 100000] [--batch 1000]
// [--writers 4] [--searchers 20] [--no-kill]

import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type LatencySession, latencySessions } from "./latency/corpus.ts";
import { post } from "./serving/clients.ts";
import { startServer } from "./serving/server.ts";
import { percentile } from "./shared/percentile.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "100000" },
    batch: { type: "string", default: "1000" },
    writers: { type: "string", default: "4" },
    searchers: { type: "string", default: "20" },
    /** Keeps one process alive through all of it, so that its memory can be followed. */
    "no-kill": { type: "boolean", default: false },
  },
});

/** A session in its wire form, itself first. */
function wireEvents({ id: session_id, agent, project, parentId, messages }: LatencySession) {
  const time = (ms: number): string => new Date(ms).toISOString();
  const options = {};
  const session = {
    ...{ id: session_id, source_agent: agent, project, options },
    created_at: time(messages[0]?.timeMs ?? 0),
    ...(parentId !== undefined && { parent_session_id: parentId }),
  };
  const rows = messages.flatMap(({ id, role, timeMs, text }) => {
    const place = { session_id, message_id: id, provenance: "conversational", options };
    return [
      { kind: "message", message: { id, session_id, role, timestamp: time(timeMs), options } },
      { kind: "part", part: { id: "0", ...place, type: "text", text } },
    ];
  });
  return [{ kind: "session", session }, ...rows];
}

const batches: object[][] = [];
const sent = { sessions: 0, messages: 0, parts: 0, events: 0 };
for (const session of latencySessions(Number(values.events))) {
  if (sent.events >= Number(values.events)) break;
  const events = wireEvents(session);
  const last = batches.at(-1);
  if (last === undefined || last.length + events.length > Number(values.batch))
    batches.push(events);
  else last.push(...events);
  sent.sessions += 1;
  sent.messages += session.messages.length;
  sent.parts += session.messages.length;
  sent.events += events.length;
}

/** By then, the work after an ingest is done, and what it held is given back. */
const restMs = 15_000;
const folder = mkdtempSync(join(tmpdir(), "pond-serving-ingest-"));
let server = await startServer(folder, "default");
const { url } = server;
const agent = new Agent({ keepAlive: true });
const failures: Record<string, number> = {};
const count = batches.length;
let done = 0;
let isOver = false;

/** Asks until there is an answer, as a client does with what may be asked again. */
async function ask(operation: string, request: object): Promise<string> {
  for (;;) {
    const { text, failure } = await post(agent, `${url}/v1/${operation}`, request);
    if (failure === undefined) return text;
    failures[`${operation}: ${failure}`] = (failures[`${operation}: ${failure}`] ?? 0) + 1;
    await wait(200);
  }
}

const startedMs = performance.now();
const ingestMs: number[] = [];
const searchMs: number[] = [];
const memoryMb: number[] = [];
let cpuSeconds = 0;
const writers = Array.from({ length: Number(values.writers) }, async () => {
  for (let events = batches.pop(); events !== undefined; events = batches.pop()) {
    const sentMs = performance.now();
    const { rejected } = JSON.parse(await ask("ingest", { events }));
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected[0]));
    ingestMs.push(performance.now() - sentMs);
    done += 1;
    if (done % Math.ceil(count / 10) === 0) memoryMb.push(server.rssMb());
  }
});
const searchers = Array.from({ length: Number(values.searchers) }, async (_, number) => {
  while (!isOver) {
    const askedMs = performance.now();
    await ask("search", { query: `how did we ${number}` });
    searchMs.push(performance.now() - askedMs);
  }
});
const killer = (async () => {
  while (!values["no-kill"] && done < count / 2) await wait(50);
  if (values["no-kill"]) return;
  cpuSeconds = server.cpuSeconds();
  await server.kill();
  server = await startServer(folder, "default", Number(new URL(url).port));
})();
await Promise.all([...writers, killer]);
const seconds = (performance.now() - startedMs) / 1_000;
isOver = true;
await Promise.all(searchers);
cpuSeconds += server.cpuSeconds();

const { sessions, messages, parts } = JSON.parse(await ask("status", {}));
const stored = { sessions, messages, parts };
const { events, ...expected } = sent;
const isWhole = JSON.stringify(stored) === JSON.stringify(expected);
const timesOf = (times: readonly number[]): string =>
  [0.5, 0.95].map((share) => percentile(times, share).toFixed(0)).join(" / ");
console.log(
  `${events} events in ${count} batches in ${seconds.toFixed(1)} s: ${(events / seconds).toFixed(0)}/s, p50/p95 of a batch ${timesOf(ingestMs)} ms`,
);
console.log(`${searchMs.length} searches, p50/p95 ${timesOf(searchMs)} ms`);
console.log("asked again:", failures);
console.log("sent", expected, "stored", stored, isWhole ? "nothing lost" : "NOT THE SAME");
console.log(`processor ${cpuSeconds} s; memory after each tenth ${memoryMb.join(" ")} MB`);
await wait(restMs);
console.log(`memory ${server.rssMb()} MB at rest`);
agent.destroy();
await server.stop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = isWhole ? 0 : 1;
