import { stringifyJson } from "@pond/canonical";
import { objectOf, type SourceRecord } from "@pond/canonical/adapter";

type State = {
  readonly objective: string | undefined;
  readonly isGiven: boolean;
  /** The client's note about it in the user's place. */
  readonly message: string;
};

const noGoal: State = { objective: undefined, isGiven: false, message: "" };

/**
 * The goal of a thread, as known at one record. The client tells its models every goal in the same
 * form, also one that the model set by a call, and repeats it when a context begins anew. Its log
 * shows a goal that a human set only in an event or, since September 2026, in a message.
 */
export class Goals {
  /** Each state, after the record that made it. */
  readonly #states: { readonly ordinal: unknown; readonly state: State }[] = [];

  /** @param event - The event in this record that says which goal the thread has now. */
  set(record: SourceRecord, event: SourceRecord): void {
    const { objective } = objectOf(event.peek("goal"));
    // Within a turn, it is a tool of the model that sets one.
    const isFromUser = typeof event.peek("turnId") !== "string";
    if (!isFromUser || typeof objective !== "string" || objective === this.#now.objective) return;
    this.#update(record, { objective, isGiven: false });
  }

  /** @param message - The client's note about a goal in the user's place. */
  noteMessage(record: SourceRecord, message: string): void {
    this.#update(record, { message });
  }

  /**
   * Notes that the model is told a goal. True if these are words of a human that stand nowhere
   * before.
   */
  noteGiven(record: SourceRecord, given: string): boolean {
    const { objective, isGiven, message } = this.#now;
    if (given !== objective || isGiven) return false;
    this.#update(record, { isGiven: true });
    return message !== given && !message.includes(stringifyJson(given));
  }

  /**
   * @param header - The header of a file that a revert began: what was said from its number on is
   * taken back.
   */
  revert(header: SourceRecord): void {
    const start = header.peek("ordinal");
    const isBefore = ({ ordinal }: { readonly ordinal: unknown }): boolean =>
      typeof ordinal === "number" && typeof start === "number" && ordinal < start;
    const cut = this.#states.findIndex((each) => !isBefore(each));
    if (cut !== -1) this.#states.splice(cut);
  }

  get #now(): State {
    return this.#states.at(-1)?.state ?? noGoal;
  }

  #update(record: SourceRecord, change: Partial<State>): void {
    this.#states.push({ ordinal: record.peek("ordinal"), state: { ...this.#now, ...change } });
  }
}
