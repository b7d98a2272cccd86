import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAddress } from "../config-values.ts";
import type { Surface } from "../context.ts";
import { type GlobalFlags, resolveSettings, type Settings } from "../settings.ts";
import { type Asked, optionsOf } from "./asked.ts";

export type Candidate = { readonly value: string; readonly description: string };

/** What the shell is to offer: words of ours, or paths it finds itself. */
export type Offer =
  | { readonly kind: "values"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "files" | "archives" | "directories" };

export type Wanted = {
  /** False where the shell would not show descriptions; some cost time. */
  readonly isDescribed: boolean;
};

/** Every client pond knows; written out, because loading them takes longer than all the rest. A test compares. */
export const clientNames: readonly string[] = [
  "claude-code",
  "codex",
  "opencode",
  "phi-core",
  "pi",
  "omp",
];

/** @throws whatever keeps the store or the configuration from being read. */
export async function offerFor(
  asked: Asked,
  surface: Pick<Surface, "env" | "home">,
  wanted: Wanted,
): Promise<Offer> {
  const { completer, typed } = asked;
  if (completer === "files" || completer === "archives" || completer === "directories") {
    return { kind: completer };
  }
  // Typed like that it is a path from here, which no stored project is.
  if (completer === "projects" && /^[.~]/.test(typed)) return { kind: "directories" };
  const found =
    knownCandidates(asked) ??
    (await lookUp(asked, await resolveSettings(flagsOf(asked), surface.env, surface.home), wanted));
  const given = new Set(asked.given);
  const candidates = found.filter(
    ({ value }) => value.startsWith(typed) && !given.has(value) && isOffered(asked, value),
  );
  return { kind: "values", candidates };
}

/** Not where it would be read as an option, nor where nobody could see what comes on the line. */
function isOffered({ completer }: Asked, value: string): boolean {
  return (completer === "options" || !value.startsWith("-")) && !unprintable.test(value);
}

const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\u{e0000}-\u{e007f}]/u;

/** What takes the definitions only. */
function knownCandidates({ completer, command }: Asked): Candidate[] | undefined {
  if (typeof completer !== "string") return completer.map(undescribed);
  switch (completer) {
    case "options":
      return optionsOf(command).map(({ long, short, description }) => ({
        value: long ?? short ?? "",
        description,
      }));
    case "commands": {
      const above = command.commands.length > 0 ? command : (command.parent ?? command);
      return above
        .createHelp()
        .visibleCommands(above)
        .map((each) => ({ value: each.name(), description: each.description() }));
    }
    case "adapters":
      return clientNames.map(undescribed);
    case "nothing":
      return [];
    default:
      return undefined;
  }
}

async function lookUp(
  { completer, typed }: Asked,
  settings: Settings,
  wanted: Wanted,
): Promise<Candidate[]> {
  switch (completer) {
    case "models": {
      const { pinnedModels } = await import("@pond/embed");
      return pinnedModels.map(({ name }) => undescribed(name));
    }
    case "namespaces":
      return namespacesBeside(settings.location);
    case "sessions":
    case "projects":
    case "agents": {
      const { storedCandidates } = await import("./stored-candidates.ts");
      return storedCandidates(completer, typed, { settings, ...wanted });
    }
    default:
      return [];
  }
}

/** Global flags that were typed before say which store is meant. */
function flagsOf({ values }: Asked): GlobalFlags {
  const storage = values.get("storage");
  const namespace = values.get("namespace");
  return {
    ...(storage !== undefined && { storage }),
    ...(namespace !== undefined && { namespace }),
  };
}

/** Of a folder; the listing of a bucket is not worth waiting for. */
async function namespacesBeside(location: string): Promise<Candidate[]> {
  if (isAddress(location)) return [];
  const folder = dirname(location);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const stores = await Promise.all(
    names.map(async (name) => {
      const tables = await readdir(join(folder, name)).catch(() => []);
      return tables.some((table) => table.endsWith(".lance")) ? [undescribed(name)] : [];
    }),
  );
  return stores.flat();
}

function undescribed(value: string): Candidate {
  return { value, description: "" };
}
