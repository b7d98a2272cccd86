import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { backUp, readBytes, readText, replaceFile } from "../replace-file.ts";
import { runProgram } from "../run-program.ts";
import { shellLine } from "../shell-words.ts";
import { readJournal, record, sha256, writeJournal } from "./journal.ts";
import { hasOuter, SettingsTextError, withEntry } from "./json-text.ts";
import {
  findServer,
  isOnPath,
  type McpClient,
  type McpServer,
  mcpClients,
  wordsOf,
} from "./mcp-clients.ts";
import { carriedEnvironment, ownCommand, refusePassing } from "./own-command.ts";

/** What becomes of one client; as `pond init --json` prints it. */
export type Registration = {
  readonly client: string;
  /**
   * `planned`: to be done; `registered`; `already`: it has this server; `other`: it has another one
   * of that name, which is left alone; `manual`: its command is not here to be run; `failed`.
   */
  readonly state: "planned" | "registered" | "already" | "other" | "manual" | "failed";
  /** The client's own file. */
  readonly file: string;
  /** The client's own command; null where its file is changed instead. */
  readonly command: readonly string[] | null;
  readonly diff: string;
  readonly backup: string | null;
  /** Why it failed, or what to do. */
  readonly message: string | null;
};

type Plan = { readonly client: McpClient; readonly server: McpServer; readonly is: Registration };

/** The variables pond itself reads; those of clients are none of an MCP server's business. */
export function mcpServer({ env, home }: Pick<Context, "env" | "home">): McpServer {
  const carried = Object.entries(carriedEnvironment(env, home));
  return {
    command: [...ownCommand(), "mcp"],
    env: Object.fromEntries(carried.filter(([name]) => /^(POND|XDG)_/.test(name))),
  };
}

/** What is to be done for the chosen clients; nothing is done yet. */
export async function planMcp(context: Context, chosen: readonly string[]): Promise<Plan[]> {
  const server = mcpServer(context);
  const clients = mcpClients.filter(({ client }) => chosen.includes(client));
  return Promise.all(clients.map((client) => planOne(context, client, server)));
}

async function planOne(context: Context, client: McpClient, server: McpServer): Promise<Plan> {
  const files = client.files(context);
  const [file] = files;
  const command = client.commands?.add(server) ?? null;
  const is = { client: client.client, file, command, diff: "", backup: null, message: null };
  let there: unknown;
  try {
    refusePassing(server.command);
    for (const each of files) there ??= await findServer(client, each);
  } catch (error) {
    return {
      client,
      server,
      is: { ...is, state: "failed", message: reasonIn(file, error) },
    };
  }
  if (there !== undefined) {
    const isSame = isDeepStrictEqual(wordsOf(there), wordsOf(client.entry(server)));
    return { client, server, is: { ...is, state: isSame ? "already" : "other" } };
  }
  if (command !== null && !isOnPath(command[0] ?? "", context)) {
    const message = `${command[0]} is not on the PATH; run ${shellLine(command)}`;
    return { client, server, is: { ...is, state: "manual", message } };
  }
  const lines = client.show(server).split("\n");
  const diff = lines.map((line) => `+${line}\n`).join("");
  return { client, server, is: { ...is, state: "planned", diff } };
}

/** Does what was planned; a client that refuses keeps no other from being told. */
export async function register(
  context: Context,
  { client, server, is }: Plan,
): Promise<Registration> {
  if (is.state !== "planned") return is;
  try {
    const backup =
      is.command === null
        ? await byFile(context, client, server, is.file)
        : await byCommand(context, client, server, is.file, is.command);
    return { ...is, state: "registered", backup };
  } catch (error) {
    return { ...is, state: "failed", message: reasonIn(is.file, error) };
  }
}

async function byFile(
  context: Context,
  client: McpClient,
  server: McpServer,
  file: string,
): Promise<string | null> {
  const wanted = client.entry(server);
  const before = (await readText(file)) ?? "";
  const text = withEntry(before, client.path, wanted);
  const backup = await backUp(file, context.now());
  const isOuterOurs = !hasOuter(before, client.path);
  const entry = { path: client.path, words: wordsOf(wanted) ?? [], isOuterOurs };
  await record(context, { kind: "file", file, backup, sha256: sha256(text), entry });
  await replaceFile(file, text);
  return backup;
}

async function byCommand(
  context: Context,
  client: McpClient,
  server: McpServer,
  file: string,
  command: readonly string[],
): Promise<string | null> {
  const backup = await backUp(file, context.now());
  const before = await readJournal(context);
  const wanted = wordsOf(client.entry(server));
  await record(context, {
    ...{ kind: "command", client: client.client, file },
    ...{ undo: client.commands?.remove ?? [], words: wanted ?? [] },
  });
  const { code, stderr } = await runProgram(context, command);
  const there = await findServer(client, file);
  if (isDeepStrictEqual(wordsOf(there), wanted)) return backup;
  if (there === undefined) await writeJournal(context, before);
  // Every run would leave another copy of what nobody changed.
  if (backup !== null && (await areEqual(file, backup))) await rm(backup);
  const said = stderr.trim().split("\n").at(-1) ?? "";
  throw new Error(
    `${shellLine(command.slice(0, 3))} ended with ${code} and did not register pond${said && `: ${said}`}`,
  );
}

async function areEqual(file: string, other: string): Promise<boolean> {
  const [bytes, others] = await Promise.all([readBytes(file), readBytes(other)]);
  return bytes !== undefined && others !== undefined && bytes.equals(others);
}

/** Errors of the system name their file already. */
function reasonIn(file: string, error: unknown): string {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  if (!(error instanceof SettingsTextError)) return reason;
  return `${file} ${reason}: put that right, and run \`pond init\` again`;
}
