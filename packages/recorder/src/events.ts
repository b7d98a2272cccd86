import type { JsonObject, JsonValue, Message, Provenance, ProviderOptions } from "@pond/canonical";
import type { LoopConfig } from "./config.ts";
import type { MessageDraft } from "./drafts.ts";
import type { Usage } from "./usage.ts";

/** How a loop continues its parent; an `Initial` loop has none in its own session. */
export type ContinuationKind =
  | "Initial"
  | "Default"
  | "Compaction"
  | { readonly Rerun: { readonly tag: string } }
  | { readonly Branch: { readonly tag: string } };

/** What started a turn. */
export type TurnTrigger = "User" | "SubAgent" | "Continuation" | "Branch";

/** The loop that spawned a session and the call that did it, as far as they are known. */
export type SpawnRef = {
  readonly parent_session_id: string;
  readonly parent_loop_id: string;
  readonly tool_call_id?: string;
  readonly tool_name?: string;
};

/** How a session came to be. */
export type Formation =
  | { readonly FirstLoop: { readonly timestamp: string } }
  | {
      readonly InactivityTimeout: {
        readonly threshold_secs: number;
        readonly previous_session_id?: string;
        readonly timestamp: string;
      };
    };

/** A range of turns of a loop, both ends included. */
export type TurnRange = { readonly startTurn: number; readonly endTurn: number };

/** Messages that stand for those of some turns. */
export type CompactedSection = {
  readonly range: TurnRange;
  readonly messages: readonly JsonObject[];
};

/** What a model is shown instead of a loop's messages; the messages themselves stay. */
export type CompactionBlock = {
  readonly keep_first?: TurnRange;
  readonly keep_compacted?: CompactedSection;
  readonly keep_recent?: CompactedSection;
};

/** @inline */
type Timed = {
  /** RFC 3339. Default: the recorder's `now`. */
  readonly timestamp?: string;
};
/** @inline */
type OfLoop = Timed & { readonly loop_id: string };
/** @inline */
type OfCall = OfLoop & { readonly tool_call_id: string; readonly tool_name: string };
/** @inline */
type OfSession = Timed & { readonly session_id: string };

/** Opens a loop, and its session if that is new. */
export type AgentStart = OfLoop & {
  readonly type: "AgentStart";
  readonly session_id: string;
  /** Default: the recorder's `agent`. */
  readonly agent_id?: string;
  readonly parent_loop_id?: string;
  /** Set if the parent is in another session. Filled in if the recorder knows that loop. */
  readonly parent_spawn_ref?: SpawnRef;
  readonly continuation_kind?: ContinuationKind;
  /** Set if the agent began a new session because it had been idle. */
  readonly formation?: Formation;
  readonly config?: LoopConfig;
  readonly metadata?: JsonValue;
};

/** Ends a loop. */
export type AgentEnd = OfLoop & {
  readonly type: "AgentEnd";
  /** What the loop said, in order. Default: what was recorded of it. */
  readonly messages?: readonly MessageDraft[];
  readonly usage?: Usage;
  /** Why an input filter refused; the loop then is `Rejected`. */
  readonly rejection?: string;
};

/** Begins a turn: one call of the model and the tools it asks for. */
export type TurnStart = OfLoop & {
  readonly type: "TurnStart";
  readonly turn_index: number;
  readonly triggered_by: TurnTrigger;
};
/** Ends the turn that began last. */
export type TurnEnd = OfLoop & { readonly type: "TurnEnd"; readonly usage?: Usage };

/** A message begins to stream in. */
export type MessageStart = OfLoop & {
  readonly type: "MessageStart";
  readonly role: MessageDraft["role"];
};
/** A piece of a message that streams in. Not kept unless the recorder is told to keep these. */
export type MessageUpdate = OfLoop & { readonly type: "MessageUpdate"; readonly delta: JsonValue };
/** A complete message. */
export type MessageEnd = OfLoop & { readonly type: "MessageEnd"; readonly message: MessageDraft };

/** A tool was started. */
export type ToolExecutionStart = OfCall & {
  readonly type: "ToolExecutionStart";
  readonly args: JsonValue;
};
/** What a tool has produced so far. */
export type ToolExecutionUpdate = OfCall & {
  readonly type: "ToolExecutionUpdate";
  readonly partial_result: JsonValue;
};
/** A tool has finished. */
export type ToolExecutionEnd = OfCall & {
  readonly type: "ToolExecutionEnd";
  readonly is_error: boolean;
  readonly result?: JsonValue;
  /** The first loop of the session that the call spawned. */
  readonly child_loop_id?: string;
  /** Filled in if the recorder knows that loop. */
  readonly child_session_id?: string;
};
/** A tool's message while it works. */
export type ProgressMessage = OfCall & { readonly type: "ProgressMessage"; readonly text: string };

/** An input filter refused. */
export type InputRejected = OfLoop & { readonly type: "InputRejected"; readonly reason: string };
/** The loop stopped without an end event: because of a flush, or an error. */
export type LoopAborted = OfLoop & { readonly type: "LoopAborted"; readonly reason?: string };

/** Registers the loops of a group before any of them starts. */
export type ParallelLoopStart = OfSession & {
  readonly type: "ParallelLoopStart";
  readonly loop_ids: readonly string[];
};
/** Says which loop of a group goes on. */
export type ParallelLoopEnd = OfSession & {
  readonly type: "ParallelLoopEnd";
  readonly selected_loop_id: string;
  readonly selected_config_index: number;
  /** The usage of the judge. */
  readonly evaluation_usage?: Usage;
};

/** A loop's messages are about to be summarized. */
export type CompactionStarted = OfLoop & {
  readonly type: "CompactionStarted";
  readonly metadata?: JsonObject;
};
/** Puts an overlay on a loop, or removes it if there is none. */
export type CompactionEnded = OfLoop & {
  readonly type: "CompactionEnded";
  readonly compaction_block?: CompactionBlock;
  readonly metadata?: JsonObject;
};

/** Everything that can happen in an agent, in the terms of phi-core. */
export type AgentEvent =
  | AgentStart
  | AgentEnd
  | TurnStart
  | TurnEnd
  | MessageStart
  | MessageUpdate
  | MessageEnd
  | ToolExecutionStart
  | ToolExecutionUpdate
  | ToolExecutionEnd
  | ProgressMessage
  | InputRejected
  | LoopAborted
  | ParallelLoopStart
  | ParallelLoopEnd
  | CompactionStarted
  | CompactionEnded;

/** Written into a spawned session once its parent says which call spawned it. */
export type SpawnNamed = OfSession & {
  readonly type: "SpawnNamed";
  readonly parent_spawn_ref: SpawnRef;
};

/**
 * What the end of a loop adds to a recorded message; absent if it adds nothing. Of `rest` and
 * `options`, it holds the fields that are new or have another value.
 */
export type MessageAddition = {
  readonly message_id: string;
  readonly timestamp?: string;
  /** What a provider told about the message. */
  readonly rest?: JsonValue;
  readonly parts?: readonly {
    readonly id: string;
    readonly provenance?: Provenance;
    readonly options?: ProviderOptions;
  }[];
};

/**
 * An event in the form in which a session stores it: with its time, and with messages named by their
 * ids.
 */
export type StoredEvent = (
  | Exclude<AgentEvent, AgentStart | AgentEnd | MessageEnd>
  | (Omit<AgentStart, "agent_id"> & { readonly agent_id: string })
  | (Omit<AgentEnd, "messages"> & {
      readonly messages: readonly string[];
      /** What the end says about messages beyond what was recorded with them. */
      readonly additions?: readonly MessageAddition[];
    })
  | (Omit<MessageEnd, "message"> & { readonly message: Message })
  | SpawnNamed
) & { readonly timestamp: string };

export type EventType = StoredEvent["type"];
