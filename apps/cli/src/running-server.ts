import { rm } from "node:fs/promises";
import type { Context } from "./context.ts";
import { replaceFile } from "./replace-file.ts";
import { readStateFile, stateFile } from "./state-directory.ts";
import { version } from "./version.ts";

/** A `pond serve` on this machine, as it recorded itself beside what this machine has seen. */
export type RunningServer = {
  readonly url: string;
  readonly pid: number;
  /** Known only to those who can read the file; only that server answers for it. */
  readonly instance: string;
  readonly location: string;
  readonly version: string;
  /** Its embedding settings: a server with other ones would answer differently. */
  readonly embeddings: string;
};

type SettingsContext = Pick<Context, "settings">;

/**
 * Records the server. The returned function takes that back, unless another one has been recorded
 * since.
 */
export async function publishServer(
  { settings }: SettingsContext,
  { url, instance }: Pick<RunningServer, "url" | "instance">,
): Promise<() => Promise<void>> {
  const file = fileOf(settings);
  const server: RunningServer = { url, instance, pid: process.pid, ...identityOf(settings) };
  await replaceFile(file, JSON.stringify(server));
  return async () => {
    if ((await read(file))?.instance === instance) await rm(file, { force: true });
  };
}

/** The server of this store, version and model, if one runs; stale records are skipped. */
export async function findServer({
  settings,
}: SettingsContext): Promise<RunningServer | undefined> {
  const server = await read(fileOf(settings));
  if (server === undefined || !isAlive(server.pid)) return undefined;
  const { location, version: own, embeddings } = identityOf(settings);
  const isSame =
    server.location === location && server.version === own && server.embeddings === embeddings;
  return isSame && (await answersFor(server)) ? server : undefined;
}

/** The path at which a server says that it is the recorded one. */
export function instancePath(instance: string): string {
  return `/instance/${instance}`;
}

function identityOf({
  location,
  embeddings,
}: SettingsContext["settings"]): Pick<RunningServer, "location" | "version" | "embeddings"> {
  const model = embeddings.isOn ? JSON.stringify(embeddings.model) : "off";
  return { location, version: version(), embeddings: model };
}

function fileOf(settings: SettingsContext["settings"]): string {
  return stateFile(settings, "serve");
}

async function read(file: string): Promise<RunningServer | undefined> {
  const server = await readStateFile(file);
  return isServer(server) ? server : undefined;
}

function isServer(value: unknown): value is RunningServer {
  if (typeof value !== "object" || value === null) return false;
  const { pid, ...texts } = value as Partial<RunningServer>;
  const { url, instance, location, version: of, embeddings } = texts;
  const isText = [url, instance, location, of, embeddings].every(
    (each) => typeof each === "string",
  );
  return isText && typeof pid === "number" && Number.isSafeInteger(pid) && pid > 0;
}

/** True for a process of this user; another user's cannot be signalled. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const answerTimeoutMs = 2_000;

/** Process ids and ports are reused: only the server itself knows its instance. */
async function answersFor({ url, instance }: RunningServer): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const { ok } = await fetch(`${url}${instancePath(instance)}`, { redirect: "error", signal });
    return ok;
  } catch {
    return false;
  }
}
