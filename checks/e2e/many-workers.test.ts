// Several stateless servers on one object store are how pond grows beyond one machine: whatever
// clients send through them at once, what is stored is what one client would have stored.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "@pond/client";
import { createHandlers, singleNamespace } from "@pond/server";
import { startAzurite, startS3, type TestStorage } from "@pond/storage-testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conditions } from "../../apps/cli/src/testing-start.ts";
import { rowDifferences, type Stored, storedRows } from "./rows.ts";
import type { ClientReport, ClientTask } from "./worker-client.ts";
import { type Load, type Round, roundOf, wholeOf } from "./worker-load.ts";
import { startWorker, type Worker } from "./workers.ts";

const isLong = process.env["POND_ALL"] === "1";
const load: Load = isLong
  ? { clients: 8, rounds: 24, messages: 36 }
  : { clients: 8, rounds: 4, messages: 12 };
const child = fileURLToPath(import.meta.resolve("./worker-client.ts"));
const folder = mkdtempSync(join(tmpdir(), "pond-many-"));
/** The running clients: if one fails, the others are killed, because they would try for long. */
const clients = new Set<ChildProcess>();
afterAll(() => {
  for (const client of clients) client.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

type Start = () => Promise<TestStorage | undefined>;

const storages: [string, Start][] = [["S3", () => startS3()]];
if (isLong) storages.push(["Azure", startAzurite]);

describe.each(storages)("on %s", (name, start) => {
  let storage: TestStorage | undefined;
  let workers: readonly Worker[] = [];
  beforeAll(async () => {
    storage = await start();
    if (storage !== undefined)
      workers = await Promise.all([startWorker(storage), startWorker(storage)]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await storage?.close();
  });

  /** Checks, row by row, that the store holds what one client would have stored. */
  const expectAsByOne = async (namespace: string, whole: Whole): Promise<void> => {
    const location = storage?.url(`ponds/${namespace}`) ?? "";
    const stored = await storedRows(location, storage?.storageOptions);
    const expected = await storedByOne(join(folder, name, namespace), whole);
    expect(stored.duplicates).toEqual([]);
    expect(rowDifferences(expected.rows, stored.rows)).toEqual([]);
  };

  test("a session continued through another server is stored as if one server had received it all", async ({
    skip,
  }) => {
    if (storage === undefined) return skip();
    const namespace = "turns";
    const [one, other] = workers.map(({ url }) => createClient({ url, namespace }));
    const own = { clients: 1, rounds: 3, messages: 8 };
    // Both servers have the store open, and have read all of it.
    const before = roundOf(own, 1, 0);
    await one?.ingest({ events: before.events });
    await other?.ingest({ events: before.events });

    for (const [round, client] of [one, other, one].entries()) {
      await client?.ingest({ events: roundOf(own, 0, round).events });
    }

    await expectAsByOne(namespace, new Map([["before", [before]], ...wholeOf(own)]));
  });

  test("eight clients lose and duplicate nothing when one of their two servers is killed", async ({
    skip,
  }) => {
    if (storage === undefined) return skip();
    const namespace = "many";

    const reports = await sendAll(namespace, workers);

    const whole = wholeOf(load);
    for (const { rejected, searches } of reports) {
      expect(rejected).toEqual([]);
      expect(Object.keys(searches).filter((outcome) => !fineOutcomes.has(outcome))).toEqual([]);
    }
    expect(workers.flatMap(({ failures }) => failures)).toEqual([]);
    await everyoneFinds(namespace, workers, whole);
    await expectAsByOne(namespace, whole);
  }, 1_800_000);
});

/** How a search may end while servers come and go. */
const fineOutcomes = new Set(["found", "connection_failed", "storage_unavailable", "conflict"]);

/** Runs every client to its end, and kills a server when half of the load is stored. */
async function sendAll(namespace: string, workers: readonly Worker[]): Promise<ClientReport[]> {
  const urls = workers.map(({ url }) => url);
  const half = (load.clients * load.rounds) / 2;
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const onAcknowledged = (): void => {
    acknowledged += 1;
    if (acknowledged >= half) killed ??= workers[1]?.killAndRestart();
  };
  const reports = await Promise.all(
    Array.from({ length: load.clients }, (_, client) => {
      // The last two clients use a balancer that sends them to any server.
      const own = client < load.clients - 2 ? urls.slice(client % 2).slice(0, 1) : urls;
      return runClient({ load, client, urls: own, namespace }, onAcknowledged);
    }),
  );
  await killed;
  return reports;
}

async function runClient(task: ClientTask, onAcknowledged: () => void): Promise<ClientReport> {
  const client = spawn(process.execPath, [...conditions, child, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  clients.add(client);
  const ended = once(client, "exit");
  for await (const line of createInterface(client.stdout)) {
    const { report } = JSON.parse(line);
    if (report !== undefined) return report;
    onAcknowledged();
  }
  throw new Error(`client ${task.client} ended with ${await ended}`);
}

type Whole = ReadonlyMap<string, readonly Round[]>;

/**
 * Looks for every session by its words, and for its messages in order, through the servers in turn.
 * A server sees within seconds what another one stored.
 */
async function everyoneFinds(
  namespace: string,
  workers: readonly Worker[],
  whole: Whole,
): Promise<void> {
  const soon = { timeout: 60_000, interval: 500 };
  const clients = workers.map(({ url }) => createClient({ url, namespace }));
  for (const [at, [id, rounds]] of [...whole].entries()) {
    const client = clients[at % clients.length];
    const search = async ({ said }: Round): Promise<string[] | undefined> => {
      const found = await client?.search({ query: said[0]?.marker ?? "" });
      return found?.sessions.map(({ session_id }) => session_id);
    };
    await expect.poll(() => Promise.all(rounds.map(search)), soon).toEqual(rounds.map(() => [id]));
    const messages = await Array.fromAsync(client?.messages(id) ?? []);
    const sent = rounds.flatMap(({ events }) => events);
    const ids = sent.flatMap((event) => (event.kind === "message" ? [event.message.id] : []));
    expect(messages.map((message) => message.id)).toEqual(ids);
  }
}

/** The rows of a store into which one client sent every session whole. */
async function storedByOne(storage: string, whole: Whole): Promise<Stored> {
  const namespaces = singleNamespace(storage);
  const handlers = createHandlers({ namespaces });
  for (const rounds of whole.values()) {
    const [first, ...others] = rounds.map(({ events }) => events);
    const events = [...(first ?? []), ...others.flatMap((more) => more.slice(1))];
    await handlers.handle("ingest", { protocol_version: 1, events });
  }
  await namespaces.close();
  return storedRows(storage);
}
