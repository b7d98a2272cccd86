import { existsSync, readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ListedSession } from "@pond/sessions";
import { chooseAdapters } from "./choose-adapters.ts";
import { type Context, createContext, createOutput, processRuntime, withStore } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { exitWithReader } from "./exit-soon.ts";
import { joinSafe, safe, safeLine, safeText } from "./output/safe-text.ts";
import { reportError } from "./report-error.ts";
import { run } from "./run.ts";
import type { GlobalFlags } from "./settings.ts";

// What `npm start` shows: the commands that a user would type, run one after the other.

const samples = fileURLToPath(new URL("../../../fixtures/samples", import.meta.url));
// Until it is installed, the command is this process's Node with the file beside this one.
const main = fileURLToPath(import.meta.url).replace(/start(\.[jt]s)$/, "main$1");
const sampleQuestion = ["why", "does", "the", "import", "lose", "rows"];
const runtime = processRuntime();
const output = createOutput({}, runtime);
exitWithReader();

try {
  process.exitCode = await start();
} catch (error) {
  process.exitCode = reportError(error, output);
}

async function start(): Promise<ExitCode> {
  const own = await createContext({}, output, runtime);
  // The first sync would, and everything printed before it would be printed twice.
  await own.tuneMemory?.("batches");
  const hasSessions = await isAnythingHere(own);
  // Samples never enter the store of somebody's own sessions.
  const flags: GlobalFlags = hasSessions
    ? {}
    : { storage: `${own.settings.directories.data}-demo` };
  const context = await createContext(flags, output, runtime);
  tell(
    hasSessions
      ? "Sessions on this machine:"
      : "No client has sessions here, so these are samples.",
  );

  const shared = flags.storage === undefined ? [] : ["--storage", flags.storage];
  const clients = hasSessions ? [] : readdirSync(samples);
  const syncs = hasSessions ? [[]] : clients.map((name) => [name, "--path", join(samples, name)]);
  for (const what of syncs) {
    const synced = await step([...shared, "sync", ...what]);
    if (synced !== exitCodes.done && synced !== exitCodes.doneWithFaults) return synced;
  }
  await step([...shared, "list", "--limit", "5"]);

  const newest = await newestSession(context);
  if (newest === undefined) {
    tell("Nothing is stored yet. Use a client for a while, then: pond sync");
    return exitCodes.done;
  }
  const question = hasSessions ? wordsOf(newest) : sampleQuestion;
  await step([...shared, "search", ...question, "--limit", "3"]);
  const folder = join(await mkdtemp(join(tmpdir(), "pond-start-")), "restored");
  const restored = await step([...shared, "restore", newest.session_id, "--out", folder]);
  const other = newest.source_agent === "codex" ? "claude-code" : "codex";
  const elsewhere = ["--to", other, "--out", `${folder}-for-${other}`];
  await step([...shared, "restore", newest.session_id, ...elsewhere]);

  printNext(shared, newest);
  return restored;
}

async function isAnythingHere(context: Context): Promise<boolean> {
  const { sources } = await chooseAdapters(context, []);
  let count = 0;
  for (const { reader } of sources) {
    for await (const found of reader.sessions()) {
      if (found.kind === "source") count += 1;
    }
  }
  return count > 0 || !existsSync(samples);
}

/** Shows a command as it would be typed, and runs it. */
async function step(argv: readonly string[]): Promise<ExitCode> {
  output.line(output.style.strong(safe`$ ${commandLine(argv)}`));
  const exitCode = await run(argv, runtime);
  output.line();
  return exitCode;
}

function newestSession(context: Context): Promise<ListedSession | undefined> {
  return withStore(context, "read", async (sessions) => {
    const { listSessions } = await import("@pond/sessions");
    const [newest] = await listSessions(sessions, { limit: 1 });
    return newest;
  });
}

/** A few words to look for, some of which at least one session is known to hold. */
function wordsOf({ title = "hello" }: ListedSession): string[] {
  const words = title.match(/[\p{L}\p{N}]{4,}/gu) ?? ["hello"];
  return words.slice(0, 4);
}

function printNext(shared: readonly string[], { session_id }: ListedSession): void {
  const next = [
    ["search", "words you remember"],
    ["get", session_id],
    ["resume", session_id],
    ["resume", session_id, "--to", "codex"],
    ["status"],
  ];
  tell("Try next. Where pond is not installed, this first:");
  output.line(safe`  alias pond=${safeLine(`'"${process.execPath}" "${main}"'`)}`);
  for (const argv of next) output.line(safe`  ${commandLine([...shared, ...argv])}`);
  output.line(
    safe`  ${commandLine(["init"])}   to set pond up: your clients, your agents, every hour`,
  );
}

function commandLine(argv: readonly string[]): ReturnType<typeof safeText> {
  const words = ["pond", ...argv].map((word) =>
    safeLine(/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`),
  );
  return joinSafe(words, " ");
}

function tell(text: string): void {
  output.line(safeText(text));
}
