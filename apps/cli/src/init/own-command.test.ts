import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../errors.ts";
import { ownCommand, recordedEnvironment, refuseNpx, stableNodePath } from "./own-command.ts";

it("starts pond by absolute paths", () => {
  const [node, ...words] = ownCommand();

  expect(node).toMatch(/^\//);
  expect(words.at(-1)).toMatch(/^\/.*\/apps\/cli\/src\/main\.ts$/);
});

describe("stableNodePath", () => {
  it.each([
    ["/opt/homebrew/Cellar/node/25.1.0/bin/node", "/opt/homebrew/opt/node/bin/node"],
    ["/usr/local/Cellar/node@24/24.2.0_1/bin/node", "/usr/local/opt/node@24/bin/node"],
    ["/usr/bin/node", "/usr/bin/node"],
    ["/home/a/.nvm/versions/node/v24.0.0/bin/node", "/home/a/.nvm/versions/node/v24.0.0/bin/node"],
  ])("gives for %s a path that outlives the version, if there is one", (path, stable) => {
    expect(stableNodePath(path, () => true)).toBe(stable);
    expect(stableNodePath(path, (each) => each === path)).toBe(path);
  });
});

it("refuses to register a command in the cache that npx clears", () => {
  const npx = "/home/a/.npm/_npx/0a1b/node_modules/@pond/cli/dist/main.js";

  expect(() => refuseNpx(["/usr/bin/node", npx])).toThrow(UsageError);
  expect(() => refuseNpx(["/usr/bin/node", "/usr/lib/main.js"])).not.toThrow();
});

it("passes on the variables of pond and of the clients with absolute paths, but no secrets", () => {
  const env = {
    POND_STORAGE: "store",
    POND_CONFIG: "~/pond.toml",
    POND_EMBEDDINGS: "off",
    CODEX_HOME: "/codex",
    XDG_DATA_HOME: "",
    AWS_SECRET_ACCESS_KEY: "hush",
  };

  expect(recordedEnvironment(env, "/home/a")).toEqual({
    POND_STORAGE: `${process.cwd()}/store`,
    POND_CONFIG: "/home/a/pond.toml",
    POND_EMBEDDINGS: "off",
    CODEX_HOME: "/codex",
  });
  expect(recordedEnvironment({ POND_STORAGE: "s3://b/p" }, "/")).toEqual({
    POND_STORAGE: "s3://b/p",
  });
});

it("makes a relative home absolute if the client resolves it against the current folder", () => {
  const env = {
    CLAUDE_CONFIG_DIR: "claude",
    CODEX_HOME: "./codex",
    PHI_CORE_SESSIONS: "../runs",
    SSL_CERT_FILE: "own.pem",
    PI_CODING_AGENT_DIR: "~/.pi/agent",
    PI_CODING_AGENT_SESSION_DIR: "sessions",
    PI_CONFIG_DIR: ".omp",
    OMP_PROFILE: "work",
    PI_PROFILE: "play",
  };

  expect(recordedEnvironment(env, "/home/a")).toEqual({
    ...env,
    CLAUDE_CONFIG_DIR: resolve("claude"),
    CODEX_HOME: resolve("codex"),
    PHI_CORE_SESSIONS: resolve("../runs"),
    SSL_CERT_FILE: resolve("own.pem"),
  });
  expect(recordedEnvironment({ PI_CODING_AGENT_DIR: "agent" }, "/home/a")).toEqual({
    PI_CODING_AGENT_DIR: resolve("agent"),
  });
});

it("passes on every variable of docs/settings.md except those of terminals, programs and downloads", () => {
  const page = readFileSync(new URL("../../../../docs/settings.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("## Environment");
  const rows = table.split("\n## ")[0]?.match(/^\| `.*? \|/gm) ?? [];
  const names = rows.flatMap((row) => row.match(/[A-Z][A-Z_]+/g) ?? []);
  const others = [
    ...["NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "POND_PAGER", "PAGER", "PATH"],
    ...["HF_ENDPOINT", "HF_TOKEN", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"],
  ];

  const recorded = recordedEnvironment(Object.fromEntries(names.map((name) => [name, "/x"])), "/");

  expect(names).toContain("PHI_CORE_SESSIONS");
  expect(Object.keys(recorded).sort()).toEqual(
    names.filter((name) => !others.includes(name)).sort(),
  );
});
