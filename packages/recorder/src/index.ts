export type { LoopConfig } from "./config.ts";
export type {
  ApprovalRequestDraft,
  ApprovalResponseDraft,
  AssistantMessageDraft,
  Draft,
  FileDraft,
  MessageDraft,
  PartDraft,
  ReasoningDraft,
  SystemMessageDraft,
  TextDraft,
  ToolCallDraft,
  ToolMessageDraft,
  ToolResultDraft,
  UserMessageDraft,
} from "./drafts.ts";
export type { ClosedState, Refusal } from "./errors.ts";
export {
  ConflictError,
  IllegalTransitionError,
  IngestRefusedError,
  InvalidEventError,
  NotResumableError,
  SessionClosedError,
} from "./errors.ts";
export type {
  AgentEnd,
  AgentEvent,
  AgentStart,
  CompactedSection,
  CompactionBlock,
  CompactionEnded,
  CompactionStarted,
  ContinuationKind,
  Formation,
  InputRejected,
  LoopAborted,
  MessageAddition,
  MessageEnd,
  MessageStart,
  MessageUpdate,
  ParallelLoopEnd,
  ParallelLoopStart,
  ProgressMessage,
  SpawnNamed,
  SpawnRef,
  StoredEvent,
  ToolExecutionEnd,
  ToolExecutionStart,
  ToolExecutionUpdate,
  TurnEnd,
  TurnRange,
  TurnStart,
  TurnTrigger,
} from "./events.ts";
export type { LoopHandle, ToolCall, ToolOutcome } from "./loop-handle.ts";
export type { LoopOptions, SpawnOptions } from "./loop-options.ts";
export {
  childrenOf,
  getLoop,
  loopChainTo,
  parallelSiblings,
  rootLoops,
  totalUsage,
} from "./navigation.ts";
export type { RecorderOptions } from "./options.ts";
export type { BranchOptions, ParallelGroupHandle, ParallelOptions } from "./parallel-handle.ts";
export { type IngestEvents, pondSink } from "./pond-sink.ts";
export type {
  ChildLoopRef,
  LoopEvent,
  LoopRecord,
  LoopStatus,
  ParallelGroup,
  SessionRecord,
  Turn,
} from "./record.ts";
export { createRecorder, type Recorder } from "./recorder.ts";
export type { SessionSink } from "./saver.ts";
export type { Usage } from "./usage.ts";
export type { WireEvent } from "./wire-events.ts";
