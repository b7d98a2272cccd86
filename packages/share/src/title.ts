import { blocksOf } from "./blocks.ts";
import type { PageOptions, SharedMessage, SharedSession } from "./shared-session.ts";
import { visibleLine } from "./visible.ts";

/** What is read ahead for a title; sessions begin with records that say nothing. */
const readAhead = 100;

/** The beginning of what was asked first, and the messages, redacted, from the first on. */
export async function withTitle(
  { messages }: SharedSession,
  { redactor }: PageOptions,
): Promise<{ title: string | undefined; messages: AsyncGenerator<SharedMessage> }> {
  const rest = redacted(messages, redactor);
  const ahead: SharedMessage[] = [];
  let title: string | undefined;
  while (title === undefined && ahead.length < readAhead) {
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

/** The first line of what a person asked in it. */
export function promptOf(message: SharedMessage): string | undefined {
  if (message.role !== "user") return undefined;
  for (const block of blocksOf(message)) {
    if (block.kind === "prose") return visibleLine(block.text, 80);
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
