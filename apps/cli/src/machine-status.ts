import type { SessionStore } from "@pond/sessions";
import type { AdapterReport, Fault } from "@pond/sync";
import { chooseAdapters } from "./choose-adapters.ts";
import type { Context } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { lastSync } from "./last-sync.ts";
import { formatCounted } from "./output/numbers.ts";
import { type ScheduleStatus, scheduleStatus } from "./schedule/schedule-status.ts";
import { storeStateDirectory } from "./state-directory.ts";
import { describeFailed } from "./sync-faults.ts";
import { version } from "./version.ts";

/** One client on this machine. */
export type ClientStatus = {
  readonly name: string;
  /** Sessions in its folders here. */
  readonly sessions: number;
  /** How many of them are new, or changed since a sync read them. */
  readonly waiting: number;
  /** Sessions with records that are still being written. */
  readonly pending: number;
  /** Sessions of which nothing could be stored. */
  readonly failed: number;
  /** Records that could not be read. */
  readonly faults: number;
  /** How many of those the client left behind, so that nobody has to do anything. */
  readonly leftovers: number;
  /** When a sync last read it into this store; null if none did. */
  readonly last_sync: string | null;
};

/** What `pond status --json` adds to the answer of the wire, as `machine`. */
export type MachineStatus = {
  /** The clients that have sessions here, and those that were read from elsewhere. */
  readonly clients: readonly ClientStatus[];
  /** What could not be read, with file and line: the first hundred of each session. */
  readonly faults: readonly Fault[];
  readonly faults_omitted: number;
  /** Null if the scheduler does not say. */
  readonly schedule: ScheduleStatus | null;
  readonly advice: readonly { readonly code: string; readonly message: string }[];
};

/**
 * What this machine has besides the store. Lists the clients' folders, and reads none of their
 * sessions.
 */
export async function machineStatus(
  context: Context,
  sessions: SessionStore,
): Promise<MachineStatus> {
  const [{ adapters, advice }, syncedAt, schedule] = await Promise.all([
    previewImport(context, sessions),
    lastSync(storeStateDirectory(context, sessions.store.id)),
    // Somebody else's program, which may be broken in its own ways.
    scheduleStatus(context).catch(() => null),
  ]);
  const here = adapters
    .map((each) => toClient(each, syncedAt[each.name] ?? null))
    .filter(({ sessions: found, faults }) => found + faults > 0);
  const isHere = (name: string): boolean => here.some((client) => client.name === name);
  const syncedElsewhere = Object.entries(syncedAt).filter(([name]) => !isHere(name));
  const clients = [
    ...here,
    ...syncedElsewhere.map(([name, last_sync]) => ({ ...noCounts, name, last_sync })),
  ];
  const stored = await sessions.store.table("sessions").count();
  return {
    clients,
    faults: adapters.flatMap(({ faults }) => faults),
    faults_omitted: adapters.reduce((sum, each) => sum + each.faults_omitted, 0),
    schedule,
    advice: [
      ...advice,
      ...(stored > 0 ? adviseOnWaiting(clients) : []),
      ...adviseOnSchedule(schedule),
      ...adviseOnFaults(clients),
    ],
  };
}

/**
 * A configured folder that is gone does not change the store: it is reported, together with the
 * rest.
 */
async function previewImport(
  context: Context,
  sessions: SessionStore,
): Promise<{ readonly adapters: readonly AdapterReport[]; readonly advice: Advice }> {
  try {
    const { sources } = await chooseAdapters(context, []);
    const { previewSync } = await import("@pond/sync");
    const { adapters } = await previewSync(sessions, sources, {
      ...{ stages: ["import"], host: "", software: `pond ${version()}`, now: context.now },
      stateDirectory: storeStateDirectory(context, sessions.store.id),
    });
    return { adapters, advice: [] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = `The clients' folders could not be looked at: ${error.message}`;
    return { adapters: [], advice: [{ code: "clients_unknown", message }] };
  }
}

const noCounts = { sessions: 0, waiting: 0, pending: 0, failed: 0, faults: 0, leftovers: 0 };

function toClient(report: AdapterReport, last_sync: string | null): ClientStatus {
  const { name, sessions, leftovers } = report;
  const { seen, new: unread, grown, pending, failed } = sessions;
  const waiting = unread + grown;
  const faults = report.faults.length + report.faults_omitted;
  return { name, sessions: seen, waiting, pending, failed, faults, leftovers, last_sync };
}

type Advice = MachineStatus["advice"];

function adviseOnWaiting(clients: readonly ClientStatus[]): Advice {
  const waiting = clients.reduce((sum, client) => sum + client.waiting, 0);
  if (waiting === 0) return [];
  const are = waiting === 1 ? "is" : "are";
  const message = `${formatCounted(waiting, "session")} on this machine ${are} new or changed: \`pond sync\` stores ${waiting === 1 ? "it" : "them"}.`;
  return [{ code: "sessions_waiting", message }];
}

/** True if there is something here and nothing new: another sync would store no more. */
export function isAllSeen({ clients }: MachineStatus): boolean {
  return (
    clients.some(({ sessions }) => sessions > 0) && clients.every(({ waiting }) => waiting === 0)
  );
}

function adviseOnFaults(clients: readonly ClientStatus[]): Advice {
  const failed = clients.reduce((sum, client) => sum + client.failed, 0);
  if (failed > 0) {
    const again =
      failed === 1
        ? "It is read again once its file changes"
        : "They are read again once their files change";
    const message = `${describeFailed(failed)}. ${again}, or pond is updated.`;
    return [{ code: "sessions_unstored", message }];
  }
  const unread = clients.reduce((sum, { faults, leftovers }) => sum + faults - leftovers, 0);
  if (unread === 0) return [];
  const [it, is] = unread === 1 ? ["it", "it is"] : ["them", "they are"];
  const message = `${formatCounted(unread, "record")} could not be read; everything around ${it} is stored. Mend the file or update pond, then ${is} read again.`;
  return [{ code: "records_unread", message }];
}

function adviseOnSchedule(schedule: ScheduleStatus | null): Advice {
  if (schedule?.silent_since) {
    const message = `The schedule has not run since ${schedule.silent_since.slice(0, 10)}: \`pond schedule start\` writes it again, for where pond is now.`;
    return [{ code: "schedule_silent", message }];
  }
  const code = schedule?.last_run?.exit_code ?? exitCodes.done;
  if (code === exitCodes.done || code === exitCodes.doneWithFaults) return [];
  const message = `The last scheduled sync failed with exit code ${code}: \`pond sync\` says why.`;
  return [{ code: "schedule_failed", message }];
}
