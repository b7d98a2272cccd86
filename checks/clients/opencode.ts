import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { installFromNpm } from "@pond/npm-testkit";
import { type OpencodeServer, talkToServer } from "./opencode-server.ts";
import { createThrowAwayHome, type ThrowAwayHome } from "./throw-away-home.ts";

const newest = "1.18.33";

/** Path of the real client. */
export async function installOpencode(version: string = newest): Promise<string | undefined> {
  const { platform, arch } = process;
  // What early releases put there expects what their install scripts do.
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
    // Else it installs what plugins are written with into every home, from the registry.
    npm_config_offline: "true",
  }));
}

/** The real client in a home of its own, where it also serves. */
export type Opencode = {
  /** Takes an exported session in. @throws {Error} where the client refuses it. */
  import(file: string): Promise<void>;
  export(id: string): Promise<JsonObject>;
  /** What it shows of a session, in the form of an export; no start of the client is needed. */
  shown(id: string): Promise<JsonObject>;
  /** The ids of the sessions that it lists; sub-agents are not among them. */
  listed(): Promise<readonly string[]>;
  /** Deletes all sessions: it takes no other content for an id it has. */
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
      // With a session go those below it.
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

/** Fields that the client sets anew at every import: where the session now is. */
const placed = ["projectID", "directory", "path"] as const;

/** What the client takes from an export, without what an import changes or adds. */
export function comparable({ info: own, messages = null }: JsonObject): JsonObject {
  const info = isJsonObject(own) ? own : {};
  const kept = Object.entries(info).filter(([key]) => !placed.some((name) => name === key));
  // What older versions did not count is counted as nothing by now.
  const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
  return { info: { cost: 0, tokens, ...Object.fromEntries(kept) }, messages };
}
