import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { installFromNpm } from "@pond/npm-testkit";
import { type OpencodeServer, talkToServer } from "./opencode-server.ts";
import { createThrowAwayHome, type ThrowAwayHome } from "./throw-away-home.ts";

const newest = "1.18.33";

/** Path of the real client. */
export async function installOpencode(version: string = newest): Promise<string | undefined> {
  const { platform, arch } = process;
  // The file that early releases put there expects their install scripts to have run.
  const program =
    version === newest
      ? join(".bin", "opencode")
      : join(`opencode-${platform}-${arch}`, "bin", "opencode");
  const modules = await installFromNpm({
    name: `opencode-${version}`,
    packages: [`opencode-ai@${version}`],
    program,
    builds: "opencode",
  });
  return modules && join(modules, program);
}

/** A throw-away home for the client, off the network. */
export function createOpencodeHome(): ThrowAwayHome {
  return createThrowAwayHome(() => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_SHARE: "1",
    OPENCODE_PURE: "1",
    // Otherwise it installs the plugin SDK from the registry into every home.
    npm_config_offline: "true",
  }));
}

/** The real client in a home of its own, where it also runs as a server. */
export type Opencode = {
  /** Imports an exported session. @throws {Error} if the client refuses it. */
  import(file: string): Promise<void>;
  export(id: string): Promise<JsonObject>;
  /** What it shows of a session, in the form of an export, without another start of the client. */
  shown(id: string): Promise<JsonObject>;
  /** The ids of the sessions that it lists, which excludes sub-agents. */
  listed(): Promise<readonly string[]>;
  /** Deletes all sessions, because it accepts no other content for an id that it has. */
  forget(): Promise<void>;
  end(): Promise<void>;
};

export async function startOpencode(binary: string): Promise<Opencode> {
  const home = createOpencodeHome();
  const server = await talkToServer(home.start(binary, ["serve", "--port", "0"], 900_000));
  return {
    import: async (file) => {
      const { stdout, stderr } = await home.run(binary, ["import", file]);
      if (!stdout.includes("Imported session")) throw new Error(`${stdout}\n${stderr}`);
    },
    export: async (id) => {
      const { stdout, stderr } = await home.run(binary, ["export", id]);
      const exported: JsonValue = parseJson(stdout);
      if (!isJsonObject(exported)) throw new Error(stderr);
      return exported;
    },
    shown: async (id) => ({
      info: await server.get(`/session/${id}`),
      messages: await server.get(`/session/${id}/message`),
    }),
    listed: () => sessionsAt(server, "/session?roots=true"),
    forget: async () => {
      // Deleting a session also deletes those below it.
      for (let ids = await sessionsAt(server, "/session"); ids[0] !== undefined; ) {
        await server.delete(`/session/${ids[0]}`);
        ids = await sessionsAt(server, "/session");
      }
    },
    end: async () => {
      await server.end();
      home.remove();
    },
  };
}

async function sessionsAt(server: OpencodeServer, path: string): Promise<readonly string[]> {
  const sessions = await server.get(path);
  if (!Array.isArray(sessions)) throw new TypeError(`no list of sessions: ${path}`);
  return sessions.map((session) => (isJsonObject(session) ? String(session["id"]) : ""));
}

/** Fields that the client sets at every import: where the session now is. */
const placed = ["projectID", "directory", "path"] as const;

/** The fields that the client takes from an export, without those an import changes or adds. */
export function comparable({ info: own, messages = null }: JsonObject): JsonObject {
  const info = isJsonObject(own) ? own : {};
  const kept = Object.entries(info).filter(([key]) => !placed.some((name) => name === key));
  // Tokens that older versions did not count now count as zero.
  const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
  return { info: { cost: 0, tokens, ...Object.fromEntries(kept) }, messages };
}
