import { attachedFilesStart, type Span } from "@pond/canonical/adapter";
import {
  asksForTitle,
  goalIn,
  importedInPrompt,
  importedTools,
  injectedText,
  interruptedReview,
  isImageTag,
  isMail,
  type Label,
  mailStart,
  type Place,
  promptStart,
  provenanceOf,
  repeatsRules,
  repliesIn,
  voiceRequest,
} from "./provenance.ts";
import type { Author } from "./records/envelope.ts";

/**
 * Whose words a text is (the model's, another agent's mail, or those of whoever writes in the
 * user's place), and what the client says about it.
 */
export type Speaker = Label & {
  readonly author: Author | "model" | "mail";
  /** The project's rules, for a text in front of the prompt, where an editor may repeat them. */
  readonly rules?: string | undefined;
};

/**
 * The kind of injection that everything of a speaker is; undefined if some of it may have been
 * said.
 */
export function injectionKindOf({ author, ...label }: Speaker): string | undefined {
  if (provenanceOf(label) === "injected") return label.kind ?? label.from;
  // A review, a compaction or a guardian has no human to talk to.
  return author === "harness" ? "harness" : undefined;
}

/** Cuts a text where the harness and the speaker meet (spec 6.5, rule 1). */
export function cutText(text: string, speaker: Speaker): readonly Span[] {
  const whole = injectionKindOf(speaker) ?? injectionKindOfText(text, speaker);
  if (whole !== undefined) return cutVoiceRequest(text, speaker, whole);
  switch (speaker.author) {
    case "model":
      return injectedAt(importedTools(text), text, importedTool);
    case "mail":
      return injectedBefore(mailStart(text), text, "mail-head");
    default: {
      const goal = speaker.kind === "user.goal" ? goalIn(text) : undefined;
      if (goal) return injectedExcept([goal], text, "codex_internal_context");
      const imported = importedInPrompt(text);
      // What an editor sends was not imported, whatever it quotes.
      const isFromEditor = imported[0]?.start !== 0 && promptStart(text) > 0;
      return imported.length === 0 || isFromEditor
        ? cutPrompt(text)
        : injectedAt(imported, text, importedTool);
    }
  }
}

/**
 * Cuts a prompt that another client copied out of a thread. Only its words decide, because what the
 * client said about it is missing.
 */
export function splitCodexPrompt(text: string): readonly Span[] {
  return cutText(text, { author: "human" });
}

const importedTool = "external_agent_tool";

/** The kind of injection that a whole text is, judged by its own words. */
function injectionKindOfText(text: string, speaker: Speaker): string | undefined {
  switch (speaker.author) {
    case "model":
      if (text === interruptedReview) return "review";
      return isMail(text) ? "mail" : undefined;
    case "mail":
      return undefined;
    default:
      if (speaker.author === "editor" && asksForTitle(text)) return "title-prompt";
      // The client also labels as the user's what an editor sends, and the tags around an image.
      if (repeatsRules(text, speaker.rules)) return "agents_md";
      if (provenanceOf(speaker) === "conversational") return isImageTag(text) ? "image" : undefined;
      return injectedText(text);
  }
}

/**
 * Treats a whole text as an injection of that kind, except for what it hands over of the user's
 * voice.
 */
function cutVoiceRequest(text: string, { author }: Speaker, kind: string): readonly Span[] {
  const hasVoice = author === "human" || author === "agent";
  const request = hasVoice ? voiceRequest(text) : undefined;
  return injectedExcept(request === undefined ? [] : [request], text, kind);
}

/**
 * Separates what an editor put before and after a prompt, and the questions around answers to them.
 */
function cutPrompt(text: string): readonly Span[] {
  const start = promptStart(text);
  const prompt = text.slice(start);
  const replies = repliesIn(prompt);
  if (replies) {
    const places = replies.map((place) => ({ start: start + place.start, end: start + place.end }));
    return injectedExcept(places, text, "question-reply");
  }
  const attached = start + attachedFilesStart(prompt);
  if (attached === text.length) return injectedBefore(start, text, "editor-context");
  const rest = { end: text.length, kind: "context" };
  return attached === start
    ? [rest]
    : [...injectedBefore(start, text.slice(0, attached), "editor-context"), rest];
}

/** Treats a whole text as an injection of that kind, except at `places`. */
function injectedExcept(places: readonly Place[], text: string, kind: string): readonly Span[] {
  const spoken = places.filter(({ start, end }) => end > start);
  const spans = spoken.flatMap(({ start, end }) => [
    { end: start, kind },
    { end, kind: undefined },
  ]);
  return [...spans, { end: text.length, kind }];
}

/** Treats only the text at `places` as an injection of that kind. */
function injectedAt(places: readonly Place[], text: string, kind: string): readonly Span[] {
  const spans: Span[] = [];
  let begin = 0;
  for (const { start, end } of places) {
    if (start > begin) spans.push({ end: start, kind: undefined });
    spans.push({ end, kind });
    begin = end;
  }
  const isAll = begin === text.length && spans.length > 0;
  return isAll ? spans : [...spans, { end: text.length, kind: undefined }];
}

/** @param kind - The kind of injection before `start`. */
function injectedBefore(start: number, text: string, kind: string): readonly Span[] {
  const spoken = { end: text.length, kind: undefined };
  if (start === 0) return [spoken];
  const prefix = { end: start, kind };
  return start === text.length ? [prefix] : [prefix, spoken];
}
