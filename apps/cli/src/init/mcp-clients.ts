import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { Context } from "../context.ts";
import { readText } from "../replace-file.ts";
import { type EntryPath, entryOf, SettingsTextError, valueAt } from "./json-text.ts";

/** How a client starts pond's MCP server. */
export type McpServer = {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

type ClientSurroundings = Pick<Context, "env" | "home">;
type Files = readonly [string, ...string[]];

/** A client that can be told about MCP servers. */
export type McpClient = {
  readonly client: string;
  /** Where it keeps its user's servers; the first file is written to. */
  readonly files: (place: ClientSurroundings) => Files | Promise<Files>;
  /** The server that it has as `pond`, in the client's own form; undefined if there is none. */
  readonly find: (text: string) => Promise<unknown>;
  /** The entry for a server in the file. */
  readonly entry: (server: McpServer) => unknown;
  /** The same as text, for reading. */
  readonly show: (server: McpServer) => string;
  /** Its own commands for that. A client without them is told through its file. */
  readonly commands?: {
    readonly add: (server: McpServer) => readonly string[];
    readonly remove: readonly string[];
  };
  readonly path: EntryPath;
};

const serverName = "pond";

/** The clients for which this was tried; pi and phi-core have no MCP. */
export const mcpClients: readonly McpClient[] = [
  {
    client: "claude-code",
    files: ({ env, home }) => [join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json")],
    path: ["mcpServers", serverName],
    find: findInJson(["mcpServers", serverName]),
    entry: ({ command: [command, ...args], env }) => ({ type: "stdio", command, args, env }),
    show: showJson("mcpServers", ({ command: [command, ...args], env }) => ({
      command,
      args,
      env,
    })),
    commands: {
      add: ({ command, env }) => [
        ...["claude", "mcp", "add", "--scope", "user", serverName],
        ...envFlags("-e", env),
        ...["--", ...command],
      ],
      remove: ["claude", "mcp", "remove", "--scope", "user", serverName],
    },
  },
  {
    client: "codex",
    files: ({ env, home }) => [join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml")],
    path: ["mcp_servers", serverName],
    find: async (text) => {
      const { parse, TomlError } = await import("smol-toml");
      try {
        return valueAt(parse(text, { integersAsBigInt: true }), ["mcp_servers", serverName]);
      } catch (cause) {
        const line = cause instanceof TomlError ? ` (line ${cause.line})` : "";
        throw new SettingsTextError(`is not TOML${line}`, { cause });
      }
    },
    entry: ({ command: [command, ...args], env }) => ({ command, args, ...envField(env) }),
    show: ({ command: [command, ...args], env }) =>
      [
        `[mcp_servers.${serverName}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        ...(Object.keys(env).length > 0 ? ["", `[mcp_servers.${serverName}.env]`] : []),
        ...Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
      ].join("\n"),
    commands: {
      add: ({ command, env }) => [
        ...["codex", "mcp", "add", serverName],
        ...envFlags("--env", env),
        ...["--", ...command],
      ],
      remove: ["codex", "mcp", "remove", serverName],
    },
  },
  {
    client: "opencode",
    files: ({ env, home }) =>
      opencodeFiles(join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode")),
    path: ["mcp", serverName],
    find: findInJson(["mcp", serverName]),
    entry: opencodeEntry,
    show: showJson("mcp", opencodeEntry),
  },
  {
    client: "omp",
    files: ompFiles,
    path: ["mcpServers", serverName],
    find: findInJson(["mcpServers", serverName]),
    entry: ({ command: [command, ...args], env }) => ({ command, args, ...envField(env) }),
    show: showJson("mcpServers", ({ command: [command, ...args], env }) => ({
      command,
      args,
      ...envField(env),
    })),
  },
];

/** In the agent folder of the current profile, even if its sessions were moved away. */
async function ompFiles(surroundings: ClientSurroundings): Promise<Files> {
  const { adapterNamed } = await import("@pond/adapters");
  const homes = adapterNamed("omp").homes(surroundings);
  const [first = ""] = homes;
  return [join(homes.find((home) => basename(home) === "agent") ?? first, "mcp.json")];
}

/** The client reads all of these; the oldest form is not written. */
function opencodeFiles(folder: string): Files {
  const [newer, usual, oldest] = ["opencode.jsonc", "opencode.json", "config.json"].map((each) =>
    join(folder, each),
  ) as [string, string, string];
  return existsSync(newer) ? [newer, usual, oldest] : [usual, oldest];
}

function opencodeEntry({ command, env }: McpServer): object {
  return {
    type: "local",
    command,
    ...(Object.keys(env).length > 0 && { environment: env }),
    enabled: true,
  };
}

function envField(env: McpServer["env"]): object {
  return Object.keys(env).length > 0 ? { env } : {};
}

function envFlags(flag: string, env: McpServer["env"]): string[] {
  return Object.entries(env).flatMap(([key, value]) => [flag, `${key}=${value}`]);
}

function findInJson(path: EntryPath): McpClient["find"] {
  return async (text) => entryOf(text, path);
}

function showJson(outer: string, entry: (server: McpServer) => unknown): McpClient["show"] {
  return (server) => JSON.stringify({ [outer]: { [serverName]: entry(server) } }, null, 2);
}

/**
 * The server that a client has as `pond`. @throws {Error} if its file cannot be read or understood.
 */
export async function findServer(client: McpClient, file: string): Promise<unknown> {
  const text = await readText(file);
  return text === undefined ? undefined : client.find(text);
}

/** What is started; clients add settings of their own to an entry. */
export function commandLineOf(entry: unknown): readonly unknown[] | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const { command, args } = entry as { readonly command?: unknown; readonly args?: unknown };
  const words = Array.isArray(command) ? command : [command];
  return Array.isArray(args) ? [...words, ...args] : words;
}

/** The variables that it is started with. */
export function variablesOf(entry: unknown): Readonly<Record<string, unknown>> {
  if (typeof entry !== "object" || entry === null) return {};
  const { env, environment = env } = entry as {
    readonly env?: unknown;
    readonly environment?: unknown;
  };
  const isTable = typeof environment === "object" && environment !== null;
  return isTable ? { ...environment } : {};
}

/** True if a shell would find the program. */
export function isOnPath(program: string, { env }: ClientSurroundings): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((folder) => {
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      return folder !== "" && statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
