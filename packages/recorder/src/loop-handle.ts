import type { JsonObject, JsonValue, Message } from "@pond/canonical";
import type { MessageDraft } from "./drafts.ts";
import { IllegalTransitionError } from "./errors.ts";
import type { AgentEvent, CompactionBlock, TurnTrigger } from "./events.ts";
import type { SpawnOptions } from "./loop-options.ts";
import type { LoopRecord } from "./record.ts";
import type { Usage } from "./usage.ts";

/** The part of a recorder that a handle needs. */
export type Recording = {
  readonly record: (event: AgentEvent) => readonly Message[];
  readonly loopRecord: (loopId: string) => LoopRecord | undefined;
  readonly spawn: (parentLoopId: string, call: ToolCall, options?: SpawnOptions) => LoopHandle;
};

type WithoutLoop<Each> = Each extends { readonly loop_id: string } ? Omit<Each, "loop_id"> : never;

/** A call of a tool. */
export type ToolCall = { readonly call_id: string; readonly name: string };

/** How a call of a tool ended. */
export type ToolOutcome = {
  readonly result?: JsonValue;
  readonly is_failure?: boolean;
};

/** Reports what happens in one loop. Every method throws as `Recorder.record` does. */
export class LoopHandle {
  readonly loopId: string;
  readonly #recording: Recording;

  constructor(recording: Recording, loopId: string) {
    this.#recording = recording;
    this.loopId = loopId;
  }

  /** The session that the loop is in. */
  get sessionId(): string {
    return this.record.session_id;
  }

  /** What was recorded of the loop. It keeps changing. @throws if its session was drained. */
  get record(): LoopRecord {
    const record = this.#recording.loopRecord(this.loopId);
    if (record === undefined) throw new IllegalTransitionError(this.loopId, "Unknown", "record");
    return record;
  }

  /** Records a complete message: `MessageEnd`. */
  say(message: MessageDraft): Message {
    const [said] = this.#recording.record({ type: "MessageEnd", loop_id: this.loopId, message });
    if (said === undefined) throw new TypeError("a message that was said was not kept");
    return said;
  }

  /** Records a piece of a message that streams in; kept only with `includeStreamingEvents`. */
  stream(delta: JsonValue): void {
    this.#send({ type: "MessageUpdate", delta });
  }

  /** Begins a turn: one call of the model and the tools it asks for. */
  startTurn(triggeredBy: TurnTrigger = this.#trigger()): void {
    this.#send({ type: "TurnStart", turn_index: this.#turnCount, triggered_by: triggeredBy });
  }

  /** Ends the turn that began last, with its usage. */
  endTurn(usage?: Usage): void {
    this.#send({ type: "TurnEnd", ...(usage && { usage }) });
  }

  /** Records that a tool was started, for a call that the model said. */
  startTool({ call_id, name }: ToolCall, args: JsonValue): void {
    this.#send({ type: "ToolExecutionStart", tool_call_id: call_id, tool_name: name, args });
  }

  /** Records what a tool has produced so far. */
  updateTool({ call_id, name }: ToolCall, partial_result: JsonValue): void {
    const call = { tool_call_id: call_id, tool_name: name };
    this.#send({ type: "ToolExecutionUpdate", ...call, partial_result });
  }

  /** Records a tool's message while it works. */
  progress({ call_id, name }: ToolCall, text: string): void {
    this.#send({ type: "ProgressMessage", tool_call_id: call_id, tool_name: name, text });
  }

  /** Records that a tool has finished. Its answer to the model is said as a `tool` message. */
  endTool({ call_id, name }: ToolCall, outcome: ToolOutcome = {}): void {
    const { result, is_failure = false } = outcome;
    this.#send({
      type: "ToolExecutionEnd",
      tool_call_id: call_id,
      tool_name: name,
      is_error: is_failure,
      ...(result !== undefined && { result }),
    });
  }

  /** Begins a sub-agent for a call of this loop: the first loop of a session of its own. */
  spawn(call: ToolCall, options: SpawnOptions = {}): LoopHandle {
    return this.#recording.spawn(this.loopId, call, options);
  }

  /** Puts an overlay on the loop's messages, which stay; removes it if none is given. */
  compact(block?: CompactionBlock, metadata?: JsonObject): void {
    this.#send({
      type: "CompactionEnded",
      ...(block && { compaction_block: block }),
      ...(metadata && { metadata }),
    });
  }

  /** Ends the loop as `Rejected`: an input filter refused the request. */
  reject(reason: string): void {
    this.#send({ type: "InputRejected", reason });
    this.#send({ type: "AgentEnd", rejection: reason });
  }

  /** Ends the loop as `Aborted`. */
  abort(reason?: string): void {
    this.#send({ type: "LoopAborted", ...(reason !== undefined && { reason }) });
  }

  /** Ends the loop as `Completed`. */
  end(outcome: { readonly messages?: readonly MessageDraft[]; readonly usage?: Usage } = {}): void {
    this.#send({ type: "AgentEnd", ...outcome });
  }

  #send(event: WithoutLoop<AgentEvent>): void {
    this.#recording.record({ ...event, loop_id: this.loopId });
  }

  get #turnCount(): number {
    return this.record.events.filter(({ event }) => event.type === "TurnStart").length;
  }

  #trigger(): TurnTrigger {
    const { continuation_kind: kind, parent_loop_id: parent } = this.record;
    if (this.#turnCount > 0) return "Continuation";
    if (kind === "Initial") return parent === undefined ? "User" : "SubAgent";
    return typeof kind === "object" && "Branch" in kind ? "Branch" : "Continuation";
  }
}
