import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { readBytes, replaceFile, textOf } from "../replace-file.ts";
import { runProgram } from "../run-program.ts";
import { stopAll } from "../schedule/schedulers.ts";
import { shellLine } from "../shell-words.ts";
import { type Action, readJournal, sha256, writeJournal } from "./journal.ts";
import { entryOf, withoutEntry } from "./json-text.ts";
import { commandLineOf, findServer, mcpClients } from "./mcp-clients.ts";

/** One thing that was taken back, or could not be, as `pond init --undo --json` prints it. */
export type Undone = {
  /** A file, `mcp of <client>` or `schedule`. */
  readonly what: string;
  /** `kept`: changed since by somebody else, and left alone. */
  readonly state: "restored" | "removed" | "gone" | "kept" | "failed";
  readonly message: string | null;
};

/** Takes back what `pond init` did, the newest first. The next call tries again what failed. */
export async function undoAll(context: Context): Promise<Undone[]> {
  const actions = await readJournal(context);
  const undone: Undone[] = [];
  let left: readonly Action[] = actions;
  for (const action of actions.toReversed()) {
    const one = await undo(context, action).catch((error: unknown) => failed(action, error));
    undone.push(one);
    if (one.state === "failed") continue;
    left = left.filter((each) => each !== action);
    await writeJournal(context, left);
  }
  return undone;
}

function undo(context: Context, action: Action): Promise<Undone> {
  switch (action.kind) {
    case "file":
      return undoFile(action);
    case "command":
      return undoCommand(context, action);
    case "schedule":
      return undoSchedule(context, action);
  }
}

async function undoFile(action: Extract<Action, { kind: "file" }>): Promise<Undone> {
  const { file, backup, entry } = action;
  const what = labelOf(action);
  const current = await readBytes(file);
  if (current === undefined) return { what, state: "gone", message: null };
  const before = backup === null ? undefined : await readBytes(backup);
  if (before?.equals(current)) return { what, state: "gone", message: null };
  const isOurs = sha256(current) === action.sha256;
  if (isOurs && backup === null) {
    await rm(file);
    return { what, state: "removed", message: null };
  }
  if (isOurs && before !== undefined) {
    await replaceFile(file, before);
    return { what, state: "restored", message: null };
  }
  if (entry !== undefined) {
    const text = textOf(current, file);
    const is = stateOf(entryOf(text, entry.path), entry.words);
    if (is !== "ours") return { what, ...keptOutcomes[is] };
    await replaceFile(file, withoutEntry(text, entry.path, entry.isOuterOurs));
    return { what, state: "removed", message: null };
  }
  if (isOurs) return { what, state: "kept", message: `${backup}, the backup, is gone` };
  const was = backup === null ? "pond made it" : `what was there before is in ${backup}`;
  return { what, state: "kept", message: `it has changed since; ${was}` };
}

async function undoCommand(
  context: Context,
  action: Extract<Action, { kind: "command" }>,
): Promise<Undone> {
  const what = labelOf(action);
  const client = mcpClients.find((each) => each.client === action.client);
  const currentState = async () =>
    stateOf(client && (await findServer(client, action.file)), action.words);
  const before = await currentState();
  if (before !== "ours") return { what, ...keptOutcomes[before] };
  const { code, stderr } = await runProgram(context, action.undo);
  // Its own output is ignored, because words and codes differ from version to version.
  if ((await currentState()) !== "ours") return { what, state: "removed", message: null };
  const lastLine = stderr.trim().split("\n").at(-1) ?? "";
  const message = `${shellLine(action.undo)} ended with ${code}${lastLine && `: ${lastLine}`}`;
  return { what, state: "failed", message };
}

const keptOutcomes = {
  gone: { state: "gone", message: null },
  other: { state: "kept", message: "the server called pond there is a different one by now" },
} as const satisfies Record<string, Omit<Undone, "what">>;

/** What became of a server that was registered. */
function stateOf(current: unknown, words: readonly unknown[]): "gone" | "other" | "ours" {
  if (current === undefined) return "gone";
  return isDeepStrictEqual(commandLineOf(current), words) ? "ours" : "other";
}

async function undoSchedule(context: Context, action: Action): Promise<Undone> {
  const stopped = await stopAll(context);
  return { what: labelOf(action), state: stopped.length > 0 ? "removed" : "gone", message: null };
}

function failed(action: Action, error: unknown): Undone {
  const message = error instanceof Error ? error.message : String(error);
  return { what: labelOf(action), state: "failed", message };
}

function labelOf(action: Action): string {
  switch (action.kind) {
    case "file":
      return action.file;
    case "command":
      return `mcp of ${action.client}`;
    case "schedule":
      return "schedule";
  }
}
