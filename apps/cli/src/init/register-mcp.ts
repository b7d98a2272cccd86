import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { backUp, readBytes, readText, replaceFile } from "../replace-file.ts";
import { runProgram } from "../run-program.ts";
import { shellLine } from "../shell-words.ts";
import { type Action, readJournal, recordAction, sha256, writeJournal } from "./journal.ts";
import { hasOuterObject, SettingsTextError, withEntry, withoutEntry } from "./json-text.ts";
import { lineDiff } from "./line-diff.ts";
import {
  commandLineOf,
  findServer,
  isOnPath,
  type McpClient,
  type McpServer,
  mcpClients,
  variablesOf,
} from "./mcp-clients.ts";
import { isRecordedVariable, ownCommand, recordedEnvironment, refuseNpx } from "./own-command.ts";

/** The outcome for one client, as `pond init --json` prints it. */
export type Registration = {
  readonly client: string;
  /**
   * `planned`: to be done; `registered`; `already`: it has this server; `other`: it has another one
   * of that name, which is left alone; `manual`: its command is not here to be run; `failed`.
   */
  readonly state: "planned" | "registered" | "already" | "other" | "manual" | "failed";
  /**
   * True if there is an entry of pond's that names other places and is to be replaced by this one.
   */
  readonly replaces: boolean;
  /** The client's own file. */
  readonly file: string;
  /** The client's own command; null if its file is changed instead. */
  readonly command: readonly string[] | null;
  readonly diff: string;
  readonly backup: string | null;
  /** Why it failed, or what to do. */
  readonly message: string | null;
};

type Plan = {
  readonly client: McpClient;
  readonly server: McpServer;
  readonly registration: Registration;
};

/** The variables that pond itself reads; those of clients do not concern an MCP server. */
export function mcpServer({ env, home }: Pick<Context, "env" | "home">): McpServer {
  const recorded = Object.entries(recordedEnvironment(env, home));
  return {
    command: [...ownCommand(), "mcp"],
    env: Object.fromEntries(recorded.filter(([name]) => /^(POND|XDG)_/.test(name))),
  };
}

/** Plans what to do for the chosen clients; nothing is done yet. */
export async function planMcp(context: Context, chosen: readonly string[]): Promise<Plan[]> {
  const server = mcpServer(context);
  const clients = mcpClients.filter(({ client }) => chosen.includes(client));
  return Promise.all(clients.map((client) => planOne(context, client, server)));
}

async function planOne(context: Context, client: McpClient, server: McpServer): Promise<Plan> {
  // A client may be given its home as a path relative to the current folder.
  const files = (await client.files(context)).map((each) => resolve(each));
  const [file = ""] = files;
  const command = client.commands?.add(server) ?? null;
  const nothing = { replaces: false, diff: "", backup: null, message: null };
  const base = { ...nothing, client: client.client, file, command };
  const plan = (state: Registration["state"], more: Partial<Registration> = {}): Plan => ({
    ...{ client, server },
    registration: { ...base, state, ...more },
  });
  let found: FoundEntry | undefined;
  try {
    refuseNpx(server.command);
    found = await findEntry(client, files);
  } catch (error) {
    return plan("failed", { message: reasonIn(file, error) });
  }
  if (found !== undefined) {
    const variables = variablesOf(found.entry);
    if (!isDeepStrictEqual(commandLineOf(found.entry), commandLineOf(client.entry(server)))) {
      return plan("other");
    }
    if (isDeepStrictEqual(recordedVariablesOf(variables), server.env)) return plan("already");
    // If the entry holds anything else, somebody made it their own.
    const old = { ...server, env: recordedVariablesOf(variables) };
    if (!isDeepStrictEqual(structuredClone(found.entry), client.entry(old))) {
      const message = "names other places, and holds settings of yours: correct it by hand";
      return plan("other", { message });
    }
    const diff = lineDiff(client.show(old), client.show(server));
    return orManual(context, plan("planned", { replaces: true, file: found.file, diff }));
  }
  const lines = client.show(server).split("\n");
  const diff = lines.map((line) => `+${line}\n`).join("");
  return orManual(context, plan("planned", { diff }));
}

type FoundEntry = { readonly file: string; readonly entry: unknown };

async function findEntry(
  client: McpClient,
  files: readonly string[],
): Promise<FoundEntry | undefined> {
  for (const file of files) {
    const entry = await findServer(client, file);
    if (entry !== undefined) return { file, entry };
  }
  return undefined;
}

function recordedVariablesOf(variables: Readonly<Record<string, unknown>>): McpServer["env"] {
  const recorded = Object.entries(variables).flatMap(([name, value]) =>
    isRecordedVariable(name) && typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(recorded);
}

/** What has to be done by hand if the client's own command is not here. */
function orManual(context: Context, plan: Plan): Plan {
  const { client, registration } = plan;
  const [program] = registration.command ?? [];
  if (program === undefined || isOnPath(program, context)) return plan;
  const run = commandsOf(client, registration).map(shellLine).join(" && ");
  const message = `${program} is not on the PATH; run ${run}`;
  return { ...plan, registration: { ...registration, state: "manual", diff: "", message } };
}

/** The client's own commands, in order: it refuses what it has already. */
function commandsOf({ commands }: McpClient, { command, replaces }: Registration) {
  if (commands === undefined || command === null) return [];
  return replaces ? [commands.remove, command] : [command];
}

/** Does what was planned; a client that refuses keeps no other from being told. */
export async function register(
  context: Context,
  { client, server, registration }: Plan,
): Promise<Registration> {
  if (registration.state !== "planned") return registration;
  try {
    const backup =
      registration.command === null
        ? await registerInFile(context, client, server, registration)
        : await registerByCommand(context, client, server, registration);
    return { ...registration, state: "registered", backup };
  } catch (error) {
    return { ...registration, state: "failed", message: reasonIn(registration.file, error) };
  }
}

async function registerInFile(
  context: Context,
  client: McpClient,
  server: McpServer,
  { file, replaces }: Registration,
): Promise<string | null> {
  const wanted = client.entry(server);
  const there = (await readText(file)) ?? "";
  const before = replaces ? withoutEntry(there, client.path) : there;
  const text = withEntry(before, client.path, wanted);
  const backup = await backUp(file, context.now());
  const isOuterOurs = !hasOuterObject(before, client.path);
  const entry = { path: client.path, words: commandLineOf(wanted) ?? [], isOuterOurs };
  await recordAction(context, { kind: "file", file, backup, sha256: sha256(text), entry });
  await replaceFile(file, text);
  return backup;
}

async function registerByCommand(
  context: Context,
  client: McpClient,
  server: McpServer,
  registration: Registration,
): Promise<string | null> {
  const { file } = registration;
  const backup = await backUp(file, context.now());
  const before = await readJournal(context);
  const wanted = commandLineOf(client.entry(server));
  const undo = client.commands?.remove ?? [];
  const action: Action = {
    kind: "command",
    client: client.client,
    undo,
    file,
    words: wanted ?? [],
  };
  // A replacement of an entry of pond's is taken back as that entry.
  if (!before.some((each) => isDeepStrictEqual(each, action))) await recordAction(context, action);
  const commands = commandsOf(client, registration);
  let result = { code: 0, stderr: "" };
  for (const command of commands) result = await runProgram(context, command);
  const there = await findServer(client, file);
  const isOld =
    registration.replaces &&
    !isDeepStrictEqual(recordedVariablesOf(variablesOf(there)), server.env);
  if (isDeepStrictEqual(commandLineOf(there), wanted) && !isOld) return backup;
  if (there === undefined) await writeJournal(context, before);
  // Otherwise every run would leave another copy of an unchanged file.
  if (backup !== null && (await haveSameBytes(file, backup))) await rm(backup);
  const lastLine = result.stderr.trim().split("\n").at(-1) ?? "";
  throw new Error(
    `${shellLine(commands.at(-1)?.slice(0, 3) ?? [])} ended with ${result.code} and did not register pond${lastLine && `: ${lastLine}`}`,
  );
}

async function haveSameBytes(file: string, other: string): Promise<boolean> {
  const [bytes, others] = await Promise.all([readBytes(file), readBytes(other)]);
  return bytes !== undefined && others !== undefined && bytes.equals(others);
}

/** Errors of the system already name their file. */
function reasonIn(file: string, error: unknown): string {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  if (!(error instanceof SettingsTextError)) return reason;
  return `${file} ${reason}: put that right, and run \`pond init\` again`;
}
