import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { absoluteStorage } from "../config-values.ts";
import type { Environment } from "../directories.ts";
import { UsageError } from "../errors.ts";

/**
 * The command that starts pond from anywhere. Only absolute paths, because neither a scheduler nor
 * a client that was not started from a shell has the user's PATH.
 */
export function ownCommand(): readonly string[] {
  const file = fileURLToPath(import.meta.url);
  const folder = dirname(file);
  // Once built, every file is beside main.js.
  const node = stableNodePath(process.execPath);
  return file.endsWith(".ts")
    ? [node, "--conditions=@pond/source", join(folder, "..", "main.ts")]
    : [node, join(folder, "main.js")];
}

/**
 * Homebrew removes the folder of a version with the next one; its `opt` always leads to a current
 * one.
 */
export function stableNodePath(
  path: string,
  exists: (path: string) => boolean = existsSync,
): string {
  const link = path.replace(/\/Cellar\/(node(?:@\d+)?)\/[^/]+\/bin\/node$/, "/opt/$1/bin/node");
  return exists(link) ? link : path;
}

/** @throws {UsageError} if pond was not installed: it would not be there later. */
export function refuseNpx(command: readonly string[]): void {
  if (!command.some((word) => /[\\/]_npx[\\/]/.test(word))) return;
  throw new UsageError(
    "npx deletes the pond that it runs: install it first, with npm install --global @pond/cli",
  );
}

/**
 * Variables that say where pond and the clients keep their files, and where the authorities are
 * that the certificate of an object store or an endpoint may be of; keys and tokens are not among
 * them.
 */
const locationVariables = [
  "POND_STORAGE",
  "POND_CONFIG",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "PI_CODING_AGENT_DIR",
  "PI_CODING_AGENT_SESSION_DIR",
  "PI_CONFIG_DIR",
  "OMP_PROFILE",
  "PI_PROFILE",
  "PHI_CORE_SESSIONS",
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
] as const;

/**
 * Places that are relative to the folder a program is started in. Others are relative to a folder of
 * their own, or are ignored if they are relative.
 */
const relativeVariables: readonly string[] = [
  ...["CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "PHI_CORE_SESSIONS"],
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
];

/** True for a variable that pond records for processes that somebody else starts. */
export function isRecordedVariable(name: string): boolean {
  return name === "POND_EMBEDDINGS" || locationVariables.some((each) => each === name);
}

/**
 * The part of the environment that a pond started by somebody else needs to find the same files.
 */
export function recordedEnvironment(env: Environment, home: string): Record<string, string> {
  const recorded: Record<string, string> = {};
  for (const name of locationVariables) {
    const value = env[name];
    if (value) recorded[name] = absolute(name, value, home);
  }
  if (env["POND_EMBEDDINGS"]) recorded["POND_EMBEDDINGS"] = env["POND_EMBEDDINGS"];
  return recorded;
}

/** It is started elsewhere. */
function absolute(name: string, value: string, home: string): string {
  if (name.startsWith("POND_")) return absoluteStorage(value, home);
  // pi expands `~` itself; to the others it is a name like any other.
  const isPiHome = name === "PI_CODING_AGENT_DIR" && /^~(?:\/|$)/.test(value);
  return relativeVariables.includes(name) && !isPiHome ? resolve(value) : value;
}
