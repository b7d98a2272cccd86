import { meaningsOf } from "@pond/adapters";
import { type Message, partsOf } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { hasVisibleText, resultBlocks, Tally, turnsOf } from "@pond/canonical/foreign";

/** The texts of a session by speaker, each list in order. */
export type SessionTexts = {
  readonly user: readonly string[];
  readonly assistant: readonly string[];
  /** For each call, the text of its answer. */
  readonly answers: readonly string[];
  /** Texts of the harness. */
  readonly injected: readonly string[];
};

/**
 * The texts of a session, without differences that every client may make: white space around
 * texts, and between the blocks of an answer. Texts of sub-agents within a session, and those that
 * the user took back, are left out.
 */
export function sessionTexts(content: SessionContent): SessionTexts {
  const turns = turnsOf(content, meanings, new Tally());
  const own = activeMessages(content);
  const calls = turns.flatMap((turn) =>
    turn.kind === "assistant" ? turn.parts.filter((part) => part.type === "call") : [],
  );
  return {
    user: textsOf(own, "user", "conversational"),
    assistant: textsOf(own, "assistant", "conversational"),
    answers: calls.map(({ result }) => (result ? answerText(result.part.result) : "")),
    injected: textsOf(own, "user", "injected"),
  };
}

/** The messages of a session that its client would continue from. */
export function activeMessages(content: SessionContent): readonly Message[] {
  const rules = meanings.recordRulesOf?.(content.session.source_agent);
  return rules?.course?.(content).live ?? content.messages;
}

const meanings = meaningsOf();

function textsOf(
  messages: readonly Message[],
  role: Message["role"],
  provenance: "conversational" | "injected",
): string[] {
  return messages
    .filter((message) => message.role === role)
    .flatMap(partsOf)
    .flatMap((part) => (part.type === "text" && part.provenance === provenance ? part.text : []))
    .filter(hasVisibleText)
    .map((text) => text.toWellFormed().trim());
}

function answerText(result: Parameters<typeof resultBlocks>[0]): string {
  return resultBlocks(result)
    .blocks.flatMap((block) => (block.type === "text" ? block.text : []))
    .join(" ")
    .toWellFormed()
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The texts of a session that its copy lacks or misplaces; empty if all are there. */
export function missingTexts(copy: SessionTexts, original: SessionTexts): readonly string[] {
  const typed = copy.user.join("\n");
  return [
    ...missingInOrder("user", original.user, typed),
    ...missingInOrder("assistant", original.assistant, copy.assistant.join("\n")),
    ...missingInOrder("answer", original.answers, copy.answers.join("\n")),
    ...original.injected
      .filter((text) => text.length > 20 && copy.user.includes(text))
      .filter((text) => !original.user.some((other) => other.includes(text)))
      .map((text) => `injected text became typed: ${shorten(text)}`),
  ];
}

function missingInOrder(kind: string, texts: readonly string[], whole: string): string[] {
  const missing: string[] = [];
  let from = 0;
  for (const text of texts) {
    const at = whole.indexOf(text, from);
    if (at < 0) missing.push(`${kind}: ${shorten(text)}`);
    else from = at + text.length;
  }
  return missing;
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
