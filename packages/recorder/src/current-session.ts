import type { Formation } from "./events.ts";
import type { SessionLog } from "./session-log.ts";

/** The session in which a loop begins that names none, and when a new session takes its place. */
export class CurrentSession {
  readonly #inactivitySeconds: number | undefined;
  readonly #now: () => Date;
  readonly #newId: () => string;
  #id: string | undefined;
  #formation: Formation | undefined;

  /** @throws {RangeError} if the inactivity time is not a whole number of seconds. */
  constructor(inactivitySeconds: number | undefined, now: () => Date, newId: () => string) {
    if (
      inactivitySeconds !== undefined &&
      !(Number.isInteger(inactivitySeconds) && inactivitySeconds > 0)
    ) {
      throw new RangeError("rotation.inactivitySeconds is a whole number from 1");
    }
    this.#inactivitySeconds = inactivitySeconds;
    this.#now = now;
    this.#newId = newId;
  }

  /** Why the session was begun, if it is not only that a first loop began. */
  formationOf(sessionId: string): Formation | undefined {
    return this.#id === sessionId ? this.#formation : undefined;
  }

  /** @returns The id of the session that begins next. */
  rotate(): string {
    return this.#begin(undefined);
  }

  set(sessionId: string | undefined): void {
    this.#id = sessionId;
    this.#formation = undefined;
  }

  /** The session for a loop that begins now; a new one if the last was idle for too long. */
  next(find: (sessionId: string) => SessionLog | undefined): string {
    if (this.#id === undefined) return this.rotate();
    const log = find(this.#id);
    if (log === undefined || !this.#isIdle(log)) return this.#id;
    return this.#begin({
      InactivityTimeout: {
        threshold_secs: this.#inactivitySeconds ?? 0,
        previous_session_id: this.#id,
        timestamp: this.#now().toISOString(),
      },
    });
  }

  #begin(formation: Formation | undefined): string {
    this.#id = this.#newId();
    this.#formation = formation;
    return this.#id;
  }

  #isIdle(log: SessionLog): boolean {
    if (this.#inactivitySeconds === undefined || log.openLoops().length > 0) return false;
    const idleMs = this.#now().getTime() - Number(log.newest / 1000n);
    return idleMs > this.#inactivitySeconds * 1000;
  }
}
