import type { MessageDraft } from "./drafts.ts";
import { InvalidEventError } from "./errors.ts";
import { LoopHandle, type Recording } from "./loop-handle.ts";
import { type LoopOptions, startOf } from "./loop-options.ts";
import type { Usage } from "./usage.ts";

/** Options of a group of loops that try the same thing in several ways. */
export type ParallelOptions = Pick<LoopOptions, "sessionId" | "continues" | "as"> & {
  /** How many loops there are. */
  readonly branches: number;
  /** What each of them is asked. It is said once, so that search finds it once. */
  readonly prompt?: MessageDraft;
};

/** The settings of one of the loops. */
export type BranchOptions = Pick<LoopOptions, "agentId" | "config" | "metadata">;

type GroupInit = {
  readonly options: ParallelOptions;
  readonly session_id: string;
  readonly loop_ids: readonly string[];
  readonly now: () => Date;
};

/** A group of loops that are registered and still `Pending`. */
export class ParallelGroupHandle {
  readonly loopIds: readonly string[];
  readonly #recording: Recording;
  readonly #init: GroupInit;
  readonly #prompt: MessageDraft | undefined;

  constructor(recording: Recording, init: GroupInit) {
    const { prompt } = init.options;
    this.loopIds = init.loop_ids;
    this.#recording = recording;
    this.#init = init;
    // All copies get one time, because a copy of a message is recognized by it.
    this.#prompt = prompt && { timestamp: init.now().toISOString(), ...prompt };
  }

  /** Begins one of the loops and asks it the common prompt. */
  start(branch: number, options: BranchOptions = {}): LoopHandle {
    const { options: group, session_id } = this.#init;
    const loop_id = this.#loopAt(branch, "AgentStart");
    this.#recording.record(startOf({ ...group, ...options }, { session_id, loop_id }));
    const loop = new LoopHandle(this.#recording, loop_id);
    if (this.#prompt) loop.say(this.#prompt);
    return loop;
  }

  /** Says which loop was chosen. @param usage - The usage of choosing it. */
  select(branch: number, usage?: Usage): void {
    this.#recording.record({
      type: "ParallelLoopEnd",
      session_id: this.#init.session_id,
      selected_loop_id: this.#loopAt(branch, "ParallelLoopEnd"),
      selected_config_index: branch,
      ...(usage && { evaluation_usage: usage }),
    });
  }

  #loopAt(branch: number, event: string): string {
    const loopId = this.loopIds[branch];
    if (loopId === undefined) throw new InvalidEventError(event, `the group has no loop ${branch}`);
    return loopId;
  }
}
