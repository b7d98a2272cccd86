import { blocksOf } from "./blocks.ts";
import type { PageOptions, SharedMessage, SharedSession } from "./shared-session.ts";
import { visibleLine } from "./visible.ts";

/** Messages to read ahead for a title: sessions begin with records that have nothing to show. */
const maxReadAhead = 100;
const titleChars = 80;

/** The title of a page, and the messages from the first on, both redacted. */
export async function withTitle(
  { title: clientTitle, messages }: SharedSession,
  { redactor }: PageOptions,
): Promise<{ title: string | undefined; messages: AsyncGenerator<SharedMessage> }> {
  const rest = redacted(messages, redactor);
  const ahead: SharedMessage[] = [];
  // Cut only after redaction: half a secret can no longer be recognised as one.
  const given = redactor && clientTitle !== undefined ? redactor.text(clientTitle) : clientTitle;
  let title = given === undefined ? undefined : visibleLine(given, titleChars);
  while (title === undefined && ahead.length < maxReadAhead) {
    const { value, done } = await rest.next();
    if (done) break;
    ahead.push(value);
    title = promptOf(value);
  }
  async function* all(): AsyncGenerator<SharedMessage> {
    yield* ahead;
    yield* rest;
  }
  return { title, messages: all() };
}

/** The first line of the prompt that a person wrote in this message. */
export function promptOf(message: SharedMessage): string | undefined {
  if (message.role !== "user") return undefined;
  for (const block of blocksOf(message)) {
    if (block.kind === "prose") return visibleLine(block.text, titleChars);
  }
  return undefined;
}

async function* redacted(
  messages: SharedSession["messages"],
  redactor: PageOptions["redactor"],
): AsyncGenerator<SharedMessage> {
  for await (const message of messages) {
    yield redactor === undefined ? message : (redactor.json({ ...message }) as SharedMessage);
  }
}
