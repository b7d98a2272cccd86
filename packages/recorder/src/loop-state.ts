import { fromRfc3339, type Message, type Micros } from "@pond/canonical";
import type { StoredEvent } from "./events.ts";
import type { LoopRecord, LoopStatus, SessionRecord, Turn } from "./record.ts";
import { checkTransition, type OfLoopEvent } from "./transitions.ts";

export type Mutable<Each> = {
  -readonly [Key in keyof Each]: Each[Key] extends readonly (infer Item)[] ? Item[] : Each[Key];
};

type OpenTurn = {
  readonly start: Extract<StoredEvent, { readonly type: "TurnStart" }>;
  readonly messages: Message[];
};

/** One loop while it is recorded: its record, and the state that the record does not show. */
export class LoopState {
  readonly record: Mutable<LoopRecord>;
  /** Everything it said, by message id. */
  readonly said: Map<string, Message> = new Map();
  #turn: OpenTurn | undefined;
  #startedAt: Micros | undefined;

  constructor(loopId: string, sessionId: string, status: LoopStatus) {
    this.record = {
      loop_id: loopId,
      session_id: sessionId,
      status,
      messages: [],
      turns: [],
      events: [],
      children_loop_ids: [],
      child_loop_refs: [],
    };
  }

  get nextSequence(): number {
    return this.record.events.length;
  }

  /** Undefined if it has not begun. */
  get startedAt(): Micros | undefined {
    return this.#startedAt;
  }

  get turnIndex(): number | undefined {
    return this.#turn?.start.turn_index;
  }

  /** @throws {IllegalTransitionError} if the loop cannot take such an event now. */
  check(type: OfLoopEvent["type"]): void {
    checkTransition(this.record.loop_id, this.record.status, this.#turn !== undefined, type);
  }

  /** Applies an event that was checked. */
  apply(event: OfLoopEvent): void {
    const { record } = this;
    record.events.push({ sequence: this.nextSequence, event });
    switch (event.type) {
      case "AgentStart":
        this.#start(event);
        break;
      case "AgentEnd":
        this.#end(event);
        break;
      case "LoopAborted":
        record.status = "Aborted";
        this.#turn = undefined;
        break;
      case "TurnStart":
        this.#turn = { start: event, messages: [] };
        break;
      case "TurnEnd":
        if (this.#turn) record.turns.push(turnOf(this.#turn, event));
        this.#turn = undefined;
        break;
      case "MessageEnd":
        this.said.set(event.message.id, event.message);
        record.messages.push(event.message);
        this.#turn?.messages.push(event.message);
        break;
      case "ToolExecutionEnd":
        this.#addChildRef(event);
        break;
      case "CompactionEnded":
        if (event.compaction_block) record.compaction_block = event.compaction_block;
        else delete record.compaction_block;
    }
  }

  #start(event: Extract<StoredEvent, { readonly type: "AgentStart" }>): void {
    const { agent_id, timestamp, parent_loop_id, config, metadata } = event;
    this.#startedAt = fromRfc3339(timestamp);
    Object.assign(this.record, {
      status: "Running",
      agent_id,
      started_at: timestamp,
      continuation_kind: event.continuation_kind ?? "Initial",
      ...(parent_loop_id !== undefined && { parent_loop_id }),
      ...(config && { config }),
      ...(metadata !== undefined && { metadata }),
    } satisfies Partial<LoopRecord>);
  }

  #end({
    messages,
    usage,
    rejection,
    timestamp,
  }: Extract<StoredEvent, { readonly type: "AgentEnd" }>) {
    const { record } = this;
    record.ended_at = timestamp;
    record.status = rejection === undefined ? "Completed" : "Rejected";
    if (rejection !== undefined) record.rejection = rejection;
    if (usage) record.usage = usage;
    record.messages = messages.flatMap((id) => this.said.get(id) ?? []);
    // A turn that began but did not end does not count.
    this.#turn = undefined;
  }

  #addChildRef(event: Extract<StoredEvent, { readonly type: "ToolExecutionEnd" }>): void {
    const { tool_call_id, tool_name, child_loop_id, child_session_id } = event;
    if (child_loop_id === undefined || child_session_id === undefined) return;
    const call = { tool_call_id, tool_name };
    this.record.child_loop_refs.push({ ...call, child_loop_id, child_session_id });
  }
}

function turnOf(
  { start, messages }: OpenTurn,
  { usage, timestamp }: Extract<StoredEvent, { readonly type: "TurnEnd" }>,
): Turn {
  const answer = messages.findIndex(({ role }) => role === "assistant");
  const output = messages.findLast(({ role }) => role === "assistant");
  return {
    turn_id: { loopId: start.loop_id, turnIndex: start.turn_index },
    triggered_by: start.triggered_by,
    ...(usage && { usage }),
    input_messages: answer < 0 ? messages : messages.slice(0, answer),
    ...(output && { output_message: output }),
    tool_results: answer < 0 ? [] : messages.slice(answer).filter(({ role }) => role === "tool"),
    started_at: start.timestamp,
    ended_at: timestamp,
  };
}

export type SessionState = Mutable<SessionRecord>;
