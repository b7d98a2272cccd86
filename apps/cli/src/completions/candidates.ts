import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAddress } from "../config-values.ts";
import type { Runtime } from "../context.ts";
import { type GlobalFlags, resolveSettings, type Settings } from "../settings.ts";
import { type CompletionRequest, optionsOf } from "./completion-request.ts";

export type Candidate = { readonly value: string; readonly description: string };

/** What the shell offers: words of ours, or paths that it finds itself. */
export type Completions =
  | { readonly kind: "values"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "files" | "archives" | "directories" };

export type CandidateOptions = {
  /** False if the shell would not show descriptions, some of which cost time. */
  readonly isDescribed: boolean;
};

/**
 * Every client that pond knows. Written out, because loading them takes longer than everything
 * else; a test compares.
 */
export const clientNames: readonly string[] = [
  "claude-code",
  "codex",
  "opencode",
  "phi-core",
  "pi",
  "omp",
];

/** @throws the error that keeps the store or the configuration from being read. */
export async function completionsFor(
  request: CompletionRequest,
  runtime: Pick<Runtime, "env" | "home">,
  options: CandidateOptions,
): Promise<Completions> {
  const { completer, typed } = request;
  if (completer === "files" || completer === "archives" || completer === "directories") {
    return { kind: completer };
  }
  // Typed like this, it is a path relative to the current folder, which no stored project is.
  if (completer === "projects" && /^[.~]/.test(typed)) return { kind: "directories" };
  const found =
    knownCandidates(request) ??
    (await lookUp(
      request,
      await resolveSettings(flagsOf(request), runtime.env, runtime.home),
      options,
    ));
  const given = new Set(request.given);
  const candidates = found.filter(
    ({ value }) => value.startsWith(typed) && !given.has(value) && isSafe(request, value),
  );
  return { kind: "values", candidates };
}

/**
 * False for a value that would be read as an option, and for one whose effect on the line nobody
 * could see.
 */
function isSafe({ completer }: CompletionRequest, value: string): boolean {
  return (completer === "options" || !value.startsWith("-")) && !unprintable.test(value);
}

const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\u{e0000}-\u{e007f}]/u;

/** What can be told from the definitions alone. */
function knownCandidates({ completer, command }: CompletionRequest): Candidate[] | undefined {
  if (typeof completer !== "string") return completer.map(withoutDescription);
  switch (completer) {
    case "options":
      return optionsOf(command).map(({ long, short, description }) => ({
        value: long ?? short ?? "",
        description,
      }));
    case "commands": {
      const parent = command.commands.length > 0 ? command : (command.parent ?? command);
      return parent
        .createHelp()
        .visibleCommands(parent)
        .map((each) => ({ value: each.name(), description: each.description() }));
    }
    case "adapters":
      return clientNames.map(withoutDescription);
    case "nothing":
      return [];
    default:
      return undefined;
  }
}

async function lookUp(
  { completer, typed }: CompletionRequest,
  settings: Settings,
  options: CandidateOptions,
): Promise<Candidate[]> {
  switch (completer) {
    case "models": {
      const { pinnedModels } = await import("@pond/embed");
      return pinnedModels.map(({ name }) => withoutDescription(name));
    }
    case "namespaces":
      return namespacesBeside(settings.location);
    case "sessions":
    case "projects":
    case "agents": {
      const { storedCandidates } = await import("./stored-candidates.ts");
      return storedCandidates(completer, typed, { settings, ...options });
    }
    default:
      return [];
  }
}

/** Global flags typed before the cursor say which store is meant. */
function flagsOf({ values }: CompletionRequest): GlobalFlags {
  const storage = values.get("storage");
  const namespace = values.get("namespace");
  return {
    ...(storage !== undefined && { storage }),
    ...(namespace !== undefined && { namespace }),
  };
}

/** Only for a folder; listing a bucket is not worth the wait. */
async function namespacesBeside(location: string): Promise<Candidate[]> {
  if (isAddress(location)) return [];
  const folder = dirname(location);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const stores = await Promise.all(
    names.map(async (name) => {
      const tables = await readdir(join(folder, name)).catch(() => []);
      return tables.some((table) => table.endsWith(".lance")) ? [withoutDescription(name)] : [];
    }),
  );
  return stores.flat();
}

function withoutDescription(value: string): Candidate {
  return { value, description: "" };
}
