import { randomUUID } from "node:crypto";
import type { Connection } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { alreadyExists, toTypedError } from "../engine/native-errors.ts";
import { rememberSecrets, secretNames } from "../engine/redact.ts";
import { retry } from "../engine/retry.ts";
import { StorageUnavailableError } from "../errors.ts";
import { createEmpty } from "./create.ts";
import type { StoreLocation } from "./storage.ts";

type StorageOptions = Readonly<Record<string, string>>;

/**
 * How long the engine retries a request if the caller does not say. Twenty seconds of "slow down"
 * pass unnoticed; a request that is never answered is given up after a minute.
 */
export const defaultRetryOptions: StorageOptions = {
  client_max_retries: "8",
  client_retry_timeout: "60",
};

// The engine tries to connect seven times before it says that it cannot.
const probeOptions: StorageOptions = {
  ...{ timeout: "4s", connect_timeout: "2s", client_max_retries: "0" },
};

const endpointNames = /^(?:(?:aws|azure|google)_)?endpoint(?:_url)?$/i;

/**
 * Checks whether there is an object store that lets us in. Takes at most half a minute, where the
 * engine itself would take a quarter of an hour to report that nothing answers.
 *
 * @throws {StorageUnavailableError} saying what is wrong.
 */
export async function proveReachable(
  { uri }: StoreLocation,
  storageOptions: StorageOptions,
): Promise<void> {
  rememberSecrets(storageOptions);
  for (const [name, value] of Object.entries(storageOptions)) {
    // The engine would panic over it, and print why.
    if (!endpointNames.test(name) || URL.canParse(value)) continue;
    throw new StorageUnavailableError(uri, `its ${name} is not an address`);
  }
  try {
    const connection = await loadLance().connect(uri, {
      storageOptions: { ...probeOptions, ...storageOptions },
    });
    connection.close();
  } catch (error) {
    throw toTypedError({ table: "catalog", location: uri }, error);
  }
}

// Proven once in a process: it is a property of the service, not of the store.
const provenServices = new Set<string>();
// With four writers, a store that ignores conditions passed one time in eleven on one core.
const writersAtOnce = 8;
// In one race a single writer may have been there before all others.
const races = 3;

/**
 * Proves that only one of several writers that commit the same version succeeds. An object store
 * that ignores `If-None-Match` would lose commits silently.
 *
 * @throws {StorageUnavailableError} if it does not hold.
 */
export async function proveExclusiveCommits(
  { uri }: StoreLocation,
  connection: Connection,
  storageOptions: StorageOptions,
): Promise<void> {
  // Credentials change while a server runs, and must not be kept.
  const options = Object.entries(storageOptions).filter(([name]) => !secretNames.test(name));
  const service = JSON.stringify([uri.split("/", 3), options]);
  if (provenServices.has(service)) return;
  // At once: one after the other, they take three times as long.
  const outcomes = await Promise.allSettled(
    Array.from({ length: races }, () => raceOnce(uri, connection)),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  provenServices.add(service);
}

/** @throws {StorageUnavailableError} if a commit is lost. */
async function raceOnce(uri: string, connection: Connection): Promise<void> {
  const probe: TableDeclaration = {
    name: `probe_${randomUUID().replaceAll("-", "")}`,
    schemaVersion: 1,
    primaryKey: ["id"],
    columns: { id: { type: "text" } },
    indexes: [],
  };
  const writers = Array.from({ length: writersAtOnce }, (_, writer) =>
    createEmpty(connection, probe, probe.name, `${writer}`),
  );
  const outcomes = await Promise.allSettled(writers);
  const created = outcomes.filter(({ status }) => status === "fulfilled").length;
  const failure = outcomes.find((outcome) => outcome.status === "rejected")?.reason;
  const place = { table: probe.name, location: uri };
  if (created === 0 && !alreadyExists(failure)) throw toTypedError(place, failure);
  const versions = await retry(place, async () => {
    const table = await connection.openTable(probe.name);
    try {
      return await table.version();
    } finally {
      table.close();
    }
  });
  await connection.dropTable(probe.name).catch(() => undefined);
  // There may be more versions than reported commits, because an answer can be lost.
  if (versions >= created) return;
  const reason = `of ${created} commits made at once ${versions} remained: this object store ignores If-None-Match, so pond would lose what it writes`;
  throw new StorageUnavailableError(uri, reason);
}
