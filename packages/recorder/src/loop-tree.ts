import { IllegalTransitionError } from "./errors.ts";
import type { StoredEvent } from "./events.ts";
import { LoopState, type SessionState } from "./loop-state.ts";
import { checkGroupStart, selectedGroup } from "./parallel.ts";
import type { OfLoopEvent } from "./transitions.ts";

/** The loops of a session, built from its events. */
export class LoopTree {
  readonly record: SessionState;
  readonly #loops: Map<string, LoopState> = new Map();

  constructor(record: SessionState) {
    this.record = record;
  }

  loop(loopId: string): LoopState | undefined {
    return this.#loops.get(loopId);
  }

  /** Loops that are registered or running. */
  openLoops(): readonly LoopState[] {
    return [...this.#loops.values()].filter(
      ({ record: { status } }) => status === "Pending" || status === "Running",
    );
  }

  /** The number of the next event of a loop. */
  nextSequence(loopId: string): number {
    return this.#loops.get(loopId)?.nextSequence ?? 0;
  }

  /** The loop in which an event is to happen. @throws {IllegalTransitionError} if it cannot. */
  loopFor({ loop_id, type }: Pick<OfLoopEvent, "loop_id" | "type">): LoopState {
    const loop = this.#loops.get(loop_id);
    if (loop === undefined) throw new IllegalTransitionError(loop_id, "Unknown", type);
    loop.check(type);
    return loop;
  }

  /** @throws {IllegalTransitionError | InvalidEventError} if the event cannot happen. */
  check(event: StoredEvent): void {
    switch (event.type) {
      case "ParallelLoopStart":
        checkGroupStart(event, this.#loops);
        break;
      case "ParallelLoopEnd":
        selectedGroup(event, this.#loops);
        break;
      case "SpawnNamed":
        break;
      case "AgentStart":
        this.#loops.get(event.loop_id)?.check(event.type);
        break;
      default:
        this.loopFor(event);
    }
  }

  /** Applies an event that was checked. */
  apply(event: StoredEvent): void {
    switch (event.type) {
      case "ParallelLoopStart":
        for (const id of event.loop_ids) {
          this.#register(id, "Pending").record.parallel_group = { all_loop_ids: event.loop_ids };
        }
        break;
      case "ParallelLoopEnd":
        this.#selectBranch(event);
        break;
      case "SpawnNamed":
        this.record.parent_spawn_ref = event.parent_spawn_ref;
        break;
      case "AgentStart": {
        const loop = this.#loops.get(event.loop_id) ?? this.#register(event.loop_id, "Running");
        loop.apply(event);
        this.record.last_active_at = event.timestamp;
        this.#moveToStartOrder(loop);
        break;
      }
      default: {
        const loop = this.#loops.get(event.loop_id);
        loop?.apply(event);
        if (event.type === "AgentEnd" && loop) this.#linkToParent(loop);
      }
    }
  }

  #register(loopId: string, status: "Pending" | "Running"): LoopState {
    const loop = new LoopState(loopId, this.record.session_id, status);
    this.#loops.set(loopId, loop);
    this.record.loops.push(loop.record);
    return loop;
  }

  /** Loops are in the order of their starts; loops that have not begun come last. */
  #moveToStartOrder({ record, startedAt = 0n }: LoopState): void {
    const { loops } = this.record;
    loops.splice(loops.lastIndexOf(record), 1);
    const before = loops.findLastIndex(({ loop_id }) => {
      const start = this.#loops.get(loop_id)?.startedAt;
      return start !== undefined && start <= startedAt;
    });
    loops.splice(before + 1, 0, record);
  }

  #selectBranch(event: Extract<StoredEvent, { readonly type: "ParallelLoopEnd" }>): void {
    const group = selectedGroup(event, this.#loops);
    for (const id of group.all_loop_ids) {
      const loop = this.#loops.get(id);
      const is_selected = id === event.selected_loop_id;
      if (loop) loop.record.parallel_group = { ...group, is_selected };
    }
  }

  #linkToParent({ record: { loop_id, parent_loop_id } }: LoopState): void {
    if (parent_loop_id === undefined) return;
    this.#loops.get(parent_loop_id)?.record.children_loop_ids.push(loop_id);
  }
}
