import { IllegalTransitionError, InvalidEventError } from "./errors.ts";
import type { StoredEvent } from "./events.ts";
import type { LoopState } from "./loop-state.ts";
import type { ParallelGroup } from "./record.ts";

type Start = Extract<StoredEvent, { readonly type: "ParallelLoopStart" }>;
type End = Extract<StoredEvent, { readonly type: "ParallelLoopEnd" }>;
type Loops = ReadonlyMap<string, LoopState>;

/** @throws {InvalidEventError | IllegalTransitionError} if these loops cannot be a group. */
export function checkGroupStart({ type, loop_ids }: Start, loops: Loops): void {
  if (loop_ids.length === 0) throw new InvalidEventError(type, "a group has a loop");
  if (new Set(loop_ids).size < loop_ids.length) {
    throw new InvalidEventError(type, "a loop is in its group once");
  }
  for (const id of loop_ids) {
    const known = loops.get(id);
    if (known) throw new IllegalTransitionError(id, known.record.status, type);
  }
}

/** The group after one of its loops was chosen. @throws {InvalidEventError} */
export function selectedGroup(event: End, loops: Loops): ParallelGroup {
  const { type, selected_loop_id, selected_config_index, evaluation_usage } = event;
  const group = loops.get(selected_loop_id)?.record.parallel_group;
  if (group === undefined) {
    throw new InvalidEventError(type, `loop ${selected_loop_id} is in no group`);
  }
  if (group.selected_loop_id !== undefined) {
    throw new InvalidEventError(type, `its group has chosen ${group.selected_loop_id}`);
  }
  if (group.all_loop_ids[selected_config_index] !== selected_loop_id) {
    throw new InvalidEventError(type, `place ${selected_config_index} is not the chosen loop's`);
  }
  return {
    all_loop_ids: group.all_loop_ids,
    selected_loop_id,
    selected_config_index,
    ...(evaluation_usage && { evaluation_usage }),
  };
}
