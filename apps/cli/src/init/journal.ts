import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { ConfigError } from "../errors.ts";
import { readText, replaceFile } from "../replace-file.ts";
import type { EntryPath } from "./json-text.ts";

/** One thing that `pond init` did, and how to take it back. */
export type Action =
  | {
      readonly kind: "file";
      readonly file: string;
      /** A copy of the file as it was before; null if there was none. */
      readonly backup: string | null;
      /** Digest of what was written: a file changed since is not overwritten. */
      readonly sha256: string;
      /**
       * What was put into a client's JSON. It can be taken out even if the file has changed since.
       */
      readonly entry?: Entry;
    }
  | {
      readonly kind: "command";
      readonly client: string;
      /** A program and its arguments. */
      readonly undo: readonly string[];
      /** Where the client keeps its servers. */
      readonly file: string;
      /** What was registered: another server of that name is not pond's to remove. */
      readonly words: readonly unknown[];
    }
  | { readonly kind: "schedule" };

type Entry = {
  readonly path: EntryPath;
  /** What it starts: another one of that name is not pond's to remove. */
  readonly words: readonly unknown[];
  /** True if the object around it was made for it. */
  readonly isOuterOurs?: boolean;
};

type SettingsContext = Pick<Context, "settings">;

function journalFile({ settings }: SettingsContext): string {
  return join(settings.directories.state, "init.json");
}

/**
 * What was done and not taken back, the oldest first. @throws {ConfigError} if the journal is
 * damaged.
 */
export async function readJournal(context: SettingsContext): Promise<readonly Action[]> {
  const file = journalFile(context);
  const text = await readText(file);
  if (text === undefined) return [];
  try {
    const { actions } = JSON.parse(text) as { readonly actions?: unknown };
    if (Array.isArray(actions) && actions.every(isAction)) return actions;
  } catch {
    // Reported below.
  }
  throw new ConfigError(
    `${file}: is not what pond wrote: move it away; the backups, *.bak-*, are beside the files`,
    { file },
  );
}

/** Deletes the journal if nothing is left to undo. */
export async function writeJournal(
  context: SettingsContext,
  actions: readonly Action[],
): Promise<void> {
  const file = journalFile(context);
  if (actions.length === 0) await rm(file, { force: true });
  else await replaceFile(file, `${JSON.stringify({ actions }, null, 2)}\n`);
}

/** Call it before the action: something done without a trace could not be undone. */
export async function recordAction(context: SettingsContext, action: Action): Promise<void> {
  await writeJournal(context, [...(await readJournal(context)), action]);
}

export function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

const kinds: readonly string[] = ["file", "command", "schedule"] satisfies Action["kind"][];

/** Checks only enough to tell a file of pond's from another one. */
function isAction(value: unknown): value is Action {
  const isObject = typeof value === "object" && value !== null && "kind" in value;
  return isObject && typeof value.kind === "string" && kinds.includes(value.kind);
}
