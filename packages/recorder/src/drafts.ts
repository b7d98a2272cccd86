import type {
  FilePart,
  JsonObject,
  Part,
  Provenance,
  ProviderOptions,
  ReasoningPart,
  TextPart,
  ToolApprovalRequestPart,
  ToolApprovalResponsePart,
  ToolCallPart,
  ToolResultPart,
} from "@pond/canonical";
import type { Usage } from "./usage.ts";

/** The fields that the recorder adds to a part. @inline */
type Added = "id" | "session_id" | "message_id" | "provenance" | "options";

/** A part without the fields that the recorder adds. Fields in `Optional` default to false. */
export type Draft<Each extends Part, Optional extends string = never> = Omit<
  Each,
  Added | Optional
> & {
  readonly [Key in Optional & keyof Each]?: Each[Key];
} & {
  /**
   * Whether it was said or inserted. Default: `injected` for tool results and for a task that
   * another agent wrote, `conversational` for everything else.
   */
  readonly provenance?: Provenance;
  readonly options?: ProviderOptions;
};

/** A text without ids. */
export type TextDraft = Draft<TextPart>;
/** A file without ids. */
export type FileDraft = Draft<FilePart>;
/** What the model thought, without ids. */
export type ReasoningDraft = Draft<ReasoningPart>;
/** A tool call without ids; `provider_executed` defaults to false. */
export type ToolCallDraft = Draft<ToolCallPart, "provider_executed">;
/** A tool's answer without ids; `is_failure` defaults to false. */
export type ToolResultDraft = Draft<ToolResultPart, "is_failure">;
/** A tool call that waits for a human's permission, without ids. */
export type ApprovalRequestDraft = Draft<ToolApprovalRequestPart>;
/** The human's reply to it, without ids. */
export type ApprovalResponseDraft = Draft<ToolApprovalResponsePart>;

/** A part without the fields that the recorder adds. */
export type PartDraft =
  | TextDraft
  | FileDraft
  | ReasoningDraft
  | ToolCallDraft
  | ToolResultDraft
  | ApprovalRequestDraft
  | ApprovalResponseDraft;

/** @inline */
type Facts = {
  /** RFC 3339. Default: the recorder's `now`. */
  readonly timestamp?: string;
  /** Any data of the agent's own; kept as it is. */
  readonly metadata?: JsonObject;
};

/** What a provider says about its answer. @inline */
type AnswerFacts = {
  readonly model?: string;
  readonly provider?: string;
  readonly usage?: Usage;
  readonly stop_reason?: string;
  readonly error_message?: string;
};

/** A message of the system. */
export type SystemMessageDraft = Facts & { readonly role: "system"; readonly content: string };
/** A message of the user. */
export type UserMessageDraft = Facts & {
  readonly role: "user";
  readonly content: string | readonly (TextDraft | FileDraft)[];
};
/** A message of the model. */
export type AssistantMessageDraft = Facts &
  AnswerFacts & {
    readonly role: "assistant";
    readonly content:
      | string
      | readonly (
          | TextDraft
          | FileDraft
          | ReasoningDraft
          | ToolCallDraft
          | ToolResultDraft
          | ApprovalRequestDraft
        )[];
  };
/** The answers of tools. */
export type ToolMessageDraft = Facts & {
  readonly role: "tool";
  readonly content: readonly (ToolResultDraft | ApprovalResponseDraft)[];
};

/** A message in the form in which an agent has it: a canonical one without ids. */
export type MessageDraft =
  | SystemMessageDraft
  | UserMessageDraft
  | AssistantMessageDraft
  | ToolMessageDraft;
