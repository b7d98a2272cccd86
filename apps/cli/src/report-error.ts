import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAddress } from "./config-values.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { Output } from "./output/output.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { shellLine } from "./shell-words.ts";

export type ErrorFacts = {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
};

/** Codes of the closed set (spec 7.4) for the codes that packages use among themselves. */
const wireCodes: Readonly<Record<string, string>> = {
  validation_failed: "validation_failed",
  not_found: "not_found",
  conflict: "conflict",
  storage_unavailable: "storage_unavailable",
  ambiguous_id: "validation_failed",
  config_invalid: "validation_failed",
  unknown_adapter: "validation_failed",
  source_not_found: "not_found",
  store_not_found: "not_found",
  model_not_found: "not_found",
  archive_not_found: "not_found",
};

const permissionHint = "Permission is missing: check the permissions there, or name another place.";
const exportHint = "Check the path; `pond export -o FILE.pond` writes such a file.";
const openFilesHint = "Allow more open files (`ulimit -n 1024`), and run the same command again.";
const diskFullHint = "The disk is full: make room, and run the same command again.";

/**
 * What to do, by the code of an error, or by its code and problem; for other errors by the system's
 * own name.
 */
const hints: Readonly<Record<string, string>> = {
  store_not_found: "Run `pond sync` to fill it, or name another with --storage.",
  not_found: "`pond list` shows what is stored; `pond sync` fetches what is new.",
  source_not_found: "Check the path; `pond adapters` lists where each client keeps its sessions.",
  unknown_adapter: "`pond adapters` lists the clients pond knows.",
  conflict: "Nothing was lost; run the command again.",
  storage_unavailable: "Check the address, the network and the credentials.",
  "storage_unavailable.disk_full": diskFullHint,
  "storage_unavailable.open_files": openFilesHint,
  "storage_unavailable.file_size":
    "Files may not grow as large here: raise the limit (`ulimit -f unlimited`), and run the same command again.",
  "storage_unavailable.damaged":
    "`pond status --verify` names the files that cannot be read, and says how to go on.",
  "storage_unavailable.foreign_manifest":
    "Stop what syncs the folder, and move every file out of there whose name is not 20 digits and .manifest. `pond status --verify` says whether that was all; `pond copy` brings a store to another machine.",
  "storage_unavailable.certificate":
    "Let this machine trust the authority that signed it; on Linux, SSL_CERT_FILE can name a file with that authority instead.",
  "storage_unavailable.no_hard_links":
    "A stick or disk with exFAT or FAT can hold an archive: `pond export -o FILE.pond` to a disk of this machine, and move the file there.",
  "store_schema.unmade": "`pond sync` does that.",
  "store_schema.lost": "`pond status --verify` says what can be read, and how to go on.",
  target_exists: "Pass --force to replace it, or name another place.",
  target_unwritable:
    "Nothing half-written is left there; the same command continues once it can write.",
  archive_not_found: exportHint,
  "archive_damaged.no_archive": exportHint,
  archive_damaged:
    "Nothing was stored. Fetch the file again from where it was made, or export again.",
  archive_hostile:
    "Nothing was stored. `pond export` writes no such file: check where it came from.",
  archive_newer: "Nothing was stored. Update pond and import it again.",
  unpack_failed:
    "Nothing was stored. An archive is unpacked in $XDG_CACHE_HOME/pond, and takes as much room there as the file: make room, or set XDG_CACHE_HOME to another folder.",
  model_not_found: "`pond models` lists the models that `pond models download NAME` fetches.",
  model_incomplete: "`pond models download NAME` fetches what is missing of a model pond knows.",
  download_failed:
    "What was downloaded stays, and the same command continues. HTTPS_PROXY and HF_ENDPOINT (a mirror) are used.",
  "download_failed.other_content":
    "Run the same command again. If it fails so each time, what HF_ENDPOINT or HTTPS_PROXY names sends other files: name another, or none.",
  models_at_once: "Name one model in every configuration that syncs to this store.",
  embedding_failed: "Messages with a vector keep it; the next `pond sync` continues with the rest.",
  schedule_failed:
    "`pond sync` works without a schedule; to see more, run by hand what the error names.",
  ENOSPC: diskFullHint,
  EDQUOT: diskFullHint,
  EMFILE: openFilesHint,
  ENOTDIR: "A file is where a folder should be: name another place.",
  EACCES: permissionHint,
  EPERM: permissionHint,
  EROFS: permissionHint,
};

/** Says what went wrong and what to do; with `--json` the document says it, too. */
export function reportError(error: unknown, output: Output): ExitCode {
  if (isAbort(error)) return reportStopped(output);
  if (output.isJson) output.jsonText(JSON.stringify({ error: toWireError(factsOf(error)) }));
  return printError(error, output);
}

/**
 * Says that somebody stopped the work; with `--json` a document does, unless there is one already.
 *
 * @param remainder - What became of the work, and how it continues; a search leaves nothing.
 */
export function reportStopped(output: Output, remainder?: SafeText): ExitCode {
  const message = remainder === undefined ? safeText("Stopped.") : safe`Stopped. ${remainder}`;
  if (output.isJson && !output.hasJson) {
    const error = toWireError({ code: "stopped", message, details: {} });
    output.jsonText(JSON.stringify({ error }));
  }
  output.note(message);
  return exitCodes.interrupted;
}

/** The same on stderr only, for a command that has a document of its own. */
export function printError(error: unknown, output: Output): ExitCode {
  const facts = factsOf(error);
  output.error(safeText(facts.message));
  const hint = hintOf(error, facts);
  if (hint !== undefined) output.note(safe`${safeText(hint)}`);
  if (output.isVerbose && error instanceof Error) output.note(safeText(error.stack ?? ""));
  else if (facts.code === "internal") output.note(safeLine("Run it again with -v for more."));
  return wireCodeOf(facts) === "validation_failed" ? exitCodes.badUsage : exitCodes.failed;
}

function hintOf(error: unknown, { code, details }: ErrorFacts): string | undefined {
  const { location, argument, sessionId, messageId, problem } = details;
  if (code === "not_found" && typeof sessionId === "string" && messageId !== undefined) {
    const words = ["pond", "get", sessionId, "--mode", "complete"];
    return `\`${shellLine(words)}\` shows the ids of its messages.`;
  }
  if (code === "store_not_found" && typeof location === "string") {
    const above = dirname(location);
    if (!isAddress(location) && existsSync(join(above, "sessions.lance"))) {
      const storage = argument === undefined ? ["--storage", dirname(above)] : [dirname(above)];
      const words = [...storage, "--namespace", basename(above)];
      return `${above} is a store itself: pass ${shellLine(words)}`;
    }
  }
  if (code === "store_not_found" && typeof argument === "string") {
    return `${argument} is to be read: name a folder or an address that holds a store.`;
  }
  const isFolder = typeof location === "string" && !isAddress(location);
  if (code === "storage_unavailable" && isFolder && problem === undefined) {
    return "Check the folder, and who may read and write there.";
  }
  if (code === "storage_unavailable" && isFolder && problem === "index_lost") {
    return "An index has lost a file; no session is lost with it. `pond sync` makes it again.";
  }
  const names = [`${code}.${problem}`, code, systemCodeOf(error)];
  const known = names.find((name) => name !== undefined && Object.hasOwn(hints, name));
  return known === undefined ? undefined : hints[known];
}

/**
 * `{ code, message, details }` with a code of the closed set: the one shape of an error (spec 7.4).
 */
export function toWireError(facts: ErrorFacts): ErrorFacts {
  const { code, message, details } = facts;
  const wireCode = wireCodeOf(facts);
  const kind = wireCode === code ? {} : { kind: code };
  return { code: wireCode, message, details: { ...withSnakeCaseNames(details), ...kind } };
}

/** The facts with the names that the wire uses, snake_case. */
function withSnakeCaseNames(details: ErrorFacts["details"]): ErrorFacts["details"] {
  const snakeCase = (name: string): string =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(details).map(([name, fact]) => [snakeCase(name), fact]));
}

function wireCodeOf({ code }: ErrorFacts): string {
  return (Object.hasOwn(wireCodes, code) ? wireCodes[code] : undefined) ?? "internal";
}

/** The facts of an error, whatever was thrown. */
export function factsOf(error: unknown): ErrorFacts {
  if (isPondError(error)) {
    const { code, message, details } = error;
    return { code, message, details };
  }
  if (!(error instanceof Error)) return { code: "internal", message: String(error), details: {} };
  // The system's own message names the file and the reason, but not for this.
  const isSystem = "syscall" in error;
  if (isSystem && error.syscall === "uv_cwd") {
    return { code: "system", message: "the current folder no longer exists", details: {} };
  }
  return { code: isSystem ? "system" : "internal", message: error.message, details: {} };
}

/** `ENOSPC` and the like, for an error of the system. */
function systemCodeOf(error: unknown): string | undefined {
  const isSystem = error instanceof Error && "syscall" in error && "code" in error;
  return isSystem ? String(error.code) : undefined;
}

/** The same as `PondError.is`, without the time that loading its module takes. */
function isPondError(error: unknown): error is Error & ErrorFacts {
  return error instanceof Error && Symbol.for("pond.error") in error;
}

/** True if somebody stopped it. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
