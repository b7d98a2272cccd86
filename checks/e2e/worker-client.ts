// A separate process that sends its share of a load and searches for what it sent. It prints a line
// for each acknowledged request, and a report at the end.
import { type Client, createClient } from "@pond/client";
import { type Load, type Round, roundOf } from "./worker-load.ts";

/** The input of a client. */
export type ClientTask = {
  readonly load: Load;
  readonly client: number;
  /** The servers, which it uses in turn. */
  readonly urls: readonly string[];
  readonly namespace: string;
};

/** The report of a client. */
export type ClientReport = {
  readonly acknowledged: number;
  readonly rejected: readonly unknown[];
  /** The status of every attempt to store something; `none` if there was no answer. */
  readonly tries: Readonly<Record<string, number>>;
  /** How often a search ended with each result: `found`, `missed`, or its code. */
  readonly searches: Readonly<Record<string, number>>;
};

const task: ClientTask = JSON.parse(process.argv[2] ?? "");
const { load, client, urls, namespace } = task;
const tries: Record<string, number> = {};
const searches: Record<string, number> = {};
const rejected: unknown[] = [];
let acknowledged = 0;

const counted: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    count(tries, String(response.status));
    return response;
  } catch (error) {
    count(tries, "none");
    throw error;
  }
};
// A killed server is back in seconds.
const senders = urls.map((url) => createClient({ url, namespace, retries: 50, fetch: counted }));
const searchers = urls.map((url) => createClient({ url, namespace, retries: 0 }));

for (let round = 0; round < load.rounds; round += 1) {
  const sent = roundOf(load, client, round);
  const server = round % urls.length;
  await send(senders[server], sent);
  // A client without an answer asks again. This one does so although it got the answer.
  if (round % 4 === 3) await send(senders[(round + 1) % urls.length], sent);
  await search(searchers[server], sent);
}
const report: ClientReport = { acknowledged, rejected, tries, searches };
console.log(JSON.stringify({ report }));

async function send(sender: Client | undefined, { events }: Round): Promise<void> {
  const answer = await sender?.ingest({ events });
  rejected.push(...(answer?.rejected ?? []));
  acknowledged += events.length;
  console.log(JSON.stringify({ acknowledged }));
}

/** A server finds everything that it acknowledged. */
async function search(searcher: Client | undefined, { said }: Round): Promise<void> {
  for (const { sessionId, marker } of said) {
    try {
      const answer = await searcher?.search({ query: marker });
      const isFound = answer?.sessions.some(({ session_id }) => session_id === sessionId);
      count(searches, isFound ? "found" : "missed");
    } catch (error) {
      count(searches, String(Object(error).code));
    }
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
