import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@pond/canonical";
import { installFromNpm } from "@pond/npm-testkit";
import { copyWritable } from "../copy-writable.ts";
import { createThrowAwayHome } from "./throw-away-home.ts";

/** A client that keeps a session as a tree of lines. */
export type PiClient = {
  readonly origin: "pi" | "omp";
  /** The program that runs its command. */
  readonly runtime: string;
  readonly command: string;
  /** The module that exports its `SessionManager`. */
  readonly sessionManager: string;
  /** The client's folder in a home. */
  readonly folder: string;
};

/** pi; with `scope`, also under the name of its packages until 0.73. */
export async function installPi(
  version = "1.6.0",
  scope = "@earendil-works",
): Promise<PiClient | undefined> {
  const modules = await installFromNpm({
    name: `pi-${version}`,
    packages: [`${scope}/pi-coding-agent@${version}`],
    program: join(".bin", "pi"),
  });
  if (modules === undefined) return undefined;
  const client = join(modules, scope, "pi-coding-agent");
  return {
    origin: "pi",
    runtime: process.execPath,
    command: commandOf(client),
    sessionManager: join(client, "dist", "index.js"),
    folder: join(".pi", "agent"),
  };
}

const newestOmp = "18.2.3";

/** The newest version whose packages all have the same version number. */
export async function installOmp(version: string = newestOmp): Promise<PiClient | undefined> {
  const runtime = join(".bin", "bun");
  const modules = await installFromNpm({
    name: `omp-${version}`,
    // By another name, for pnpm would take it for what is to run the folder.
    packages: [`@oh-my-pi/pi-coding-agent@${version}`, "bun@npm:bun@1.4.5"],
    program: runtime,
    // Early releases have all builds in one package.
    ...(version === newestOmp && { builds: "@oh-my-pi/pi-natives" }),
  });
  if (modules === undefined) return undefined;
  const client = join(modules, "@oh-my-pi", "pi-coding-agent");
  return {
    origin: "omp",
    runtime: join(modules, runtime),
    command: commandOf(client),
    sessionManager: join(client, "src", "session", "session-manager.ts"),
    folder: join(".omp", "agent"),
  };
}

/** The only program of a package. */
function commandOf(folder: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : String(Object.values(bin)[0]));
}

/** A session as the client shows it. */
export type ShownSession = {
  readonly header: JsonObject;
  readonly leafId: string | null;
  readonly entries: readonly JsonObject[];
};

/** A session as the client itself holds it. */
export type OpenedSession = ShownSession & {
  /** What the model would get. */
  readonly messages: readonly JsonObject[];
  /** Its settings, such as the model. */
  readonly settings: JsonObject;
};

const reader = `
const [, , module, ...files] = process.argv;
const { SessionManager } = await import(module);
const opened = [];
for (const file of files) {
  const session = await SessionManager.open(file);
  const { messages, ...settings } = session.buildSessionContext();
  const [header, leafId] = [session.getHeader(), session.getLeafId()];
  opened.push({ header, leafId, entries: session.getEntries(), messages, settings });
}
(await import("node:fs")).writeFileSync("opened.json", JSON.stringify(opened));
process.exit(0);
`;

/**
 * Opens session files with the real client's `SessionManager`, in a throw-away home.
 *
 * @param folder - A folder in the client's layout; copied, because the client may rewrite a file.
 * @param paths - The files, below the folder.
 */
export async function openWithPi(
  { runtime, sessionManager, folder: own }: PiClient,
  folder: string,
  paths: readonly string[],
): Promise<readonly OpenedSession[]> {
  const home = createThrowAwayHome(() => ({ PI_OFFLINE: "1" }));
  try {
    const copy = join(home.folder, own);
    copyWritable(folder, copy);
    writeFileSync(join(home.folder, "reader.mjs"), reader);
    const files = paths.map((path) => join(copy, path));
    await home.run(runtime, [join(home.folder, "reader.mjs"), sessionManager, ...files]);
    return JSON.parse(
      readFileSync(join(home.work, "opened.json"), "utf8").replaceAll(home.folder, "HOME"),
    );
  } finally {
    home.remove();
  }
}

const importer = `
const [, , manager, source] = process.argv;
const { createForeignSessionStore, persistForeignSession } = await import(
  new URL("foreign-session-import.ts", "file://" + manager)
);
const store = createForeignSessionStore(source);
for (const session of await store.list()) {
  await persistForeignSession(store, session, { suppressBreadcrumb: true });
}
process.exit(0);
`;

/**
 * Makes omp import every session of another client, as `--from-claude` and `--from-codex` do with
 * the one that the user chooses on the screen.
 *
 * @param folder - The folder of that client; a copy of it is in the home.
 * @returns The folder in which omp keeps its files. The caller removes it.
 */
export async function importWithOmp(
  { runtime, sessionManager, folder: own }: PiClient,
  source: "claude" | "codex",
  folder: string,
): Promise<{ readonly home: string; readonly remove: () => void }> {
  const home = createThrowAwayHome(() => ({ PI_OFFLINE: "1" }));
  copyWritable(folder, join(home.folder, `.${source}`));
  writeFileSync(join(home.folder, "importer.mjs"), importer);
  await home.run(runtime, [join(home.folder, "importer.mjs"), sessionManager, source]);
  return { home: join(home.folder, own), remove: () => home.remove() };
}

/** The session in the HTML page that the real client makes for people without the client. */
export async function exportWithPi(
  { runtime, command, folder: own }: PiClient,
  folder: string,
  path: string,
): Promise<ShownSession> {
  const home = createThrowAwayHome(() => ({ PI_OFFLINE: "1" }));
  try {
    const copy = join(home.folder, own);
    copyWritable(folder, copy);
    const page = join(home.work, "page.html");
    // One client takes a name for the page, the other one chooses it.
    const { stdout } = await home.run(runtime, [command, "--export", join(copy, path), page]);
    const html = readFileSync(/: (.+\.html)/.exec(stdout)?.[1] ?? page, "utf8");
    const shown = /id="session-data"[^>]*>([^<]+)</.exec(html)?.[1] ?? "";
    const { header, leafId, entries } = JSON.parse(Buffer.from(shown, "base64").toString("utf8"));
    return { header, leafId, entries };
  } finally {
    home.remove();
  }
}

/** A session with its entries named by their place: old files get new ids each time. */
export function withStableIds(session: ShownSession): JsonValue {
  const places = new Map(session.entries.map(({ id }, index) => [String(id), `entry ${index}`]));
  const text = JSON.stringify(session, (_, value: JsonValue) =>
    typeof value === "string" ? (places.get(value) ?? value) : value,
  );
  return JSON.parse(text);
}
