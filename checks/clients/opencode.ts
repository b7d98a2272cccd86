import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { installFromNpm } from "@pond/npm-testkit";
import { createThrowAwayHome, type ThrowAwayHome } from "./throw-away-home.ts";

/** Path of the real client. */
export async function installOpencode(): Promise<string | undefined> {
  const version = "1.18.33";
  const program = join(".bin", "opencode");
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
  }));
}

type ListedSession = { readonly id: string; readonly title: string };

/** The real client in a home of its own. */
export type Opencode = {
  /** Takes an exported session in. @throws {Error} where the client refuses it. */
  import(file: string): Promise<void>;
  export(id: string): Promise<JsonObject>;
  list(): Promise<readonly ListedSession[]>;
  remove(): void;
};

export function startOpencode(binary: string): Opencode {
  const home = createOpencodeHome();
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
    list: async () => {
      const { stdout } = await home.run(binary, ["session", "list", "--format", "json"]);
      return JSON.parse(stdout);
    },
    remove: () => home.remove(),
  };
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
