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

/** What the recorder adds to a part. @inline */
type Added = "id" | "session_id" | "message_id" | "provenance" | "options";

/** A part without what the recorder adds; fields in `Optional` are false where they are left out. */
export type Draft<Each extends Part, Optional extends string = never> = Omit<
  Each,
  Added | Optional
> & {
  readonly [Key in Optional & keyof Each]?: Each[Key];
} & {
  /**
   * Whether it was said or put in. Where left out, tool results and the task that another agent
   * wrote are `injected`, everything else is `conversational`.
   */
  readonly provenance?: Provenance;
  readonly options?: ProviderOptions;
};

/** A text. */
export type TextDraft = Draft<TextPart>;
/** A file. */
export type FileDraft = Draft<FilePart>;
/** What the model thought. */
export type ReasoningDraft = Draft<ReasoningPart>;
/** A tool call; `provider_executed` is false where left out. */
export type ToolCallDraft = Draft<ToolCallPart, "provider_executed">;
/** What a tool answered; `is_failure` is false where left out. */
export type ToolResultDraft = Draft<ToolResultPart, "is_failure">;
/** A call that waits for a human's leave. */
export type ApprovalRequestDraft = Draft<ToolApprovalRequestPart>;
/** What the human said to it. */
export type ApprovalResponseDraft = Draft<ToolApprovalResponsePart>;

/** A part without what the recorder adds. */
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
  /** RFC 3339; the recorder's `now` where it is left out. */
  readonly timestamp?: string;
  /** Anything of the agent's own; kept as it is. */
  readonly metadata?: JsonObject;
};

/** What a provider said about its answer. @inline */
type AnswerFacts = {
  readonly model?: string;
  readonly provider?: string;
  readonly usage?: Usage;
  readonly stop_reason?: string;
  readonly error_message?: string;
};

/** A message of the system. */
export type SystemSaid = Facts & { readonly role: "system"; readonly content: string };
/** A message of the user. */
export type UserSaid = Facts & {
  readonly role: "user";
  readonly content: string | readonly (TextDraft | FileDraft)[];
};
/** A message of the model. */
export type AssistantSaid = Facts &
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
/** What tools answered. */
export type ToolSaid = Facts & {
  readonly role: "tool";
  readonly content: readonly (ToolResultDraft | ApprovalResponseDraft)[];
};

/** A message as an agent has it: a canonical one without ids. */
export type Said = SystemSaid | UserSaid | AssistantSaid | ToolSaid;
