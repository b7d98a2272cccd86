import { fail } from "node:assert/strict";
import { messageToWire, type Part, partsOf, stringifyJson } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { leavesOf } from "../leaves.ts";
import { readFiles } from "../read-files.ts";

/** What a human typed or a model said is found; what the client inserted never is (spec 8). */
export function provenanceCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "model-part-provenance",
    name: `${fixture.name} tells what was typed from what was injected`,
    run: async () => {
      const { typed, injected } = await fixture.expected();

      const { contents } = await readFiles(kit, await fixture.load());

      for (const content of contents) expectNoneInjected(kit, content);
      for (const text of injected) expectInjected(contents, text);
      expectTyped(contents, typed);
    },
  }));
}

function expectNoneInjected(kit: CompleteKit, { session, messages }: SessionContent): void {
  for (const part of messages.flatMap(conversationalParts)) {
    if (part.type !== "text" || !kit.isInjected(part.text)) continue;
    fail(`${placeOf(part)} of session ${session.id} is conversational: ${shortened(part.text)}`);
  }
}

function expectInjected(contents: readonly SessionContent[], text: string): void {
  const messages = contents.flatMap((content) => content.messages);
  const said = messages.flatMap(conversationalParts).find((part) => textOf(part).includes(text));
  if (said)
    fail(`${placeOf(said)} is conversational and holds what was injected: ${shortened(text)}`);
  const isThere = messages.some((message) =>
    [...leavesOf(messageToWire(message))].some(
      ({ value }) => typeof value === "string" && value.includes(text),
    ),
  );
  if (!isThere) fail(`no message holds the injected text ${shortened(text)}`);
}

/** Each text is somewhere, and in every session they come in the order in which they are listed. */
function expectTyped(contents: readonly SessionContent[], typed: readonly string[]): void {
  const found = new Set<string>();
  for (const { session, messages } of contents) {
    const said = messages.flatMap(conversationalParts).map(textOf);
    let at = 0;
    for (const text of typed) {
      if (!said.some((each) => each.includes(text))) continue;
      found.add(text);
      const next = said.findIndex((each, index) => index >= at && each.includes(text));
      if (next < 0) fail(`session ${session.id} holds ${shortened(text)} too early`);
      at = next;
    }
  }
  const lost = typed.find((text) => !found.has(text));
  if (lost !== undefined) fail(`no conversational part holds ${shortened(lost)}`);
}

function conversationalParts(message: SessionContent["messages"][number]): readonly Part[] {
  return partsOf(message).filter(({ provenance }) => provenance === "conversational");
}

/** The text that search reads from a part. */
function textOf(part: Part): string {
  if (part.type === "text") return part.text;
  return part.type === "file" ? (part.file_name ?? "") : "";
}

function placeOf({ id, message_id }: Part): string {
  return `part ${id} of message ${message_id}`;
}

function shortened(text: string): string {
  return stringifyJson(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
