import type { SessionStore, Statistics } from "@pond/sessions";
import { Command } from "commander";
import { type Context, withStore } from "../context.ts";
import { embeddingStatus } from "../embedding-status.ts";
import { exitCodes } from "../exit-codes.ts";
import { type LastSessions, lastSessions } from "../last-sessions.ts";
import { isAllSeen, type MachineStatus, machineStatus } from "../machine-status.ts";
import { ProgressLine } from "../output/progress.ts";
import { safeText } from "../output/safe-text.ts";
import type { RunAction } from "../run.ts";
import { printHead, printStatus } from "../status-text.ts";
import { verifyStored } from "../verify-store.ts";

type StatusFlags = { readonly all?: boolean; readonly verify?: boolean };

type Facts = {
  readonly facts: Statistics;
  readonly machine: MachineStatus;
  readonly last: LastSessions;
};

export function statusCommand(run: RunAction): Command {
  return new Command("status")
    .description("show what is stored, how well it is indexed, and what needs doing")
    .option("--all", "show every project, not only those with the most messages")
    .option("--verify", "read everything that is stored, and name what is damaged")
    .action((flags: StatusFlags, command: Command) =>
      run(command, (context) => (flags.verify ? verifyStored(context) : status(context, flags))),
    );
}

async function status(context: Context, { all = false }: StatusFlags) {
  const { output, settings } = context;
  const progress = new ProgressLine(output);
  const { facts, machine, last } = await withStore(context, "read", async (sessions) => {
    if (!output.isJson) printHead(context, sessions.store.location, await countRows(sessions));
    progress.show("count", { done: 0, total: 0 }, () => safeText("counting…"));
    return await count(context, sessions);
  }).finally(() => progress.clear());
  const embedding = await embeddingStatus(context, facts);
  const { adviseOn } = await import("@pond/server");
  const advice = adviseOn(facts, embedding).filter(
    ({ code }) => code !== "empty" || !isAllSeen(machine),
  );
  if (output.isJson) {
    const { namespace } = settings;
    output.jsonText(JSON.stringify({ ...facts, namespace, embedding, advice, machine }));
  } else {
    printStatus(context, { facts, embedding, advice, machine, last, isWhole: all });
  }
  return exitCodes.done;
}

/** From the metadata of the tables: what costs nothing is printed first (spec 7.8). */
async function countRows({ store }: SessionStore): Promise<readonly [number, number, number]> {
  const [sessions, messages, parts] = await Promise.all(
    ["sessions", "messages", "parts"].map((name) => store.table(name).count()),
  );
  return [sessions ?? 0, messages ?? 0, parts ?? 0];
}

async function count(context: Context, sessions: SessionStore): Promise<Facts> {
  const { statistics } = await import("@pond/sessions");
  const [facts, machine, last] = await Promise.all([
    statistics(sessions),
    machineStatus(context, sessions),
    lastSessions(sessions),
  ]);
  return { facts, machine, last };
}
