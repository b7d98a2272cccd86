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

/** What the recorder adds to a part. */
type Added = "id" | "session_id" | "message_id" | "provenance" | "options";

/** A part without what the recorder adds; fields in `Optional` are false where they are left out. */
type Draft<Each extends Part, Optional extends string = never> = Omit<Each, Added | Optional> & {
  readonly [Key in Optional & keyof Each]?: Each[Key];
} & {
  /**
   * Whether it was said or put in. Where left out, tool results and the task that another agent
   * wrote are `injected`, everything else is `conversational`.
   */
  readonly provenance?: Provenance;
  readonly options?: ProviderOptions;
};

type TextDraft = Draft<TextPart>;
type FileDraft = Draft<FilePart>;
type ReasoningDraft = Draft<ReasoningPart>;
type ToolCallDraft = Draft<ToolCallPart, "provider_executed">;
type ToolResultDraft = Draft<ToolResultPart, "is_failure">;
type ApprovalRequestDraft = Draft<ToolApprovalRequestPart>;
type ApprovalResponseDraft = Draft<ToolApprovalResponsePart>;

export type PartDraft =
  | TextDraft
  | FileDraft
  | ReasoningDraft
  | ToolCallDraft
  | ToolResultDraft
  | ApprovalRequestDraft
  | ApprovalResponseDraft;

type Facts = {
  /** RFC 3339; the recorder's `now` where it is left out. */
  readonly timestamp?: string;
  /** Anything of the agent's own; kept as it is. */
  readonly metadata?: JsonObject;
};

/** What a provider said about its answer. */
type AnswerFacts = {
  readonly model?: string;
  readonly provider?: string;
  readonly usage?: Usage;
  readonly stop_reason?: string;
  readonly error_message?: string;
};

type SystemSaid = Facts & { readonly role: "system"; readonly content: string };
type UserSaid = Facts & {
  readonly role: "user";
  readonly content: string | readonly (TextDraft | FileDraft)[];
};
type AssistantSaid = Facts &
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
type ToolSaid = Facts & {
  readonly role: "tool";
  readonly content: readonly (ToolResultDraft | ApprovalResponseDraft)[];
};

/** A message as an agent has it: a canonical one without ids. */
export type Said = SystemSaid | UserSaid | AssistantSaid | ToolSaid;
