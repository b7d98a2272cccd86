import type { ScheduleStatus } from "../schedule/schedule-status.ts";
import type { FoundClient } from "./found-clients.ts";
import type { Registration } from "./register-mcp.ts";

/** What `pond init --json` prints. */
export type InitReport = {
  readonly dry_run: boolean;
  readonly clients: readonly object[];
  /** Null if no client was chosen. */
  readonly config: WrittenConfig | null;
  readonly mcp: readonly Registration[];
  /** Null if it was not wanted. */
  readonly schedule: OfferedSchedule | null;
  /** What `pond sync --json` prints; null if none was run. */
  readonly sync: unknown;
};

export type WrittenConfig = {
  readonly file: string;
  readonly written: boolean;
  readonly backup: string | null;
  readonly diff: string;
};

export type OfferedSchedule = ScheduleStatus & {
  readonly state: "planned" | "started" | "already" | "unavailable" | "failed";
  readonly message: string | null;
};

export function clientJson({ name, places }: FoundClient, chosen: readonly string[]): object {
  return {
    name,
    chosen: chosen.includes(name),
    places: places.map(({ path, sessions, bytes, oldest, cleanUp }) => ({
      path,
      sessions,
      bytes,
      oldest: oldest?.toISOString() ?? null,
      clean_up:
        cleanUp === null
          ? null
          : {
              days: cleanUp.days,
              set_in: cleanUp.file,
              due: cleanUp.due,
              due_within_a_week: cleanUp.dueSoon,
            },
    })),
  };
}
