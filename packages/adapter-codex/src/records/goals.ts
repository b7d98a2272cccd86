import { stringifyJson } from "@pond/canonical";
import { objectOf, type SourceRecord } from "@pond/canonical/adapter";

/**
 * The goal of a thread, at one record of it. The client tells its models every goal in the same
 * form, also one that the model set by a call, and the same again once a context begins anew. Its
 * log tells of none that a human set but in an event, or since September 2026 in a message.
 */
export class Goals {
  #objective: string | undefined;
  #isTold = false;
  #message = "";

  /** @param event - Says which goal the thread has now. */
  set(event: SourceRecord): void {
    const { objective } = objectOf(event.peek("goal"));
    // In a turn it is a tool of the model's that sets one.
    const isUsers = typeof event.peek("turnId") !== "string";
    if (!isUsers || typeof objective !== "string" || objective === this.#objective) return;
    this.#objective = objective;
    this.#isTold = false;
  }

  /** @param message - What the client notes of a goal in the user's place. */
  note(message: string): void {
    this.#message = message;
  }

  /** The model is told a goal. True where those are words of a human that stand nowhere before. */
  tell(objective: string): boolean {
    if (objective !== this.#objective || this.#isTold) return false;
    this.#isTold = true;
    return this.#message !== objective && !this.#message.includes(stringifyJson(objective));
  }
}
