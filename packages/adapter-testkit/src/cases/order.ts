import { fail } from "node:assert/strict";
import { type Message, messageToWire } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { leavesOf } from "../leaves.ts";
import { mapLineFiles, withFields } from "../mutate.ts";
import { readFiles } from "../read-files.ts";

/** Messages come as their records stand in the log, whatever their timestamps say. */
export function orderCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "adapter-integrity-event-ordering",
    name: `the messages of ${fixture.name} come in the order of their records`,
    run: () => expectSourceOrder(kit, fixture),
  }));
}

async function expectSourceOrder(kit: CompleteKit, fixture: Fixture): Promise<void> {
  // A field that no client has stays with its record, so it tells which messages came from it.
  let records = 0;
  const marked = mapLineFiles(kit, await fixture.load(), (lines, path) =>
    lines.map((line, at) => {
      records += 1;
      return withFields(line, `"pond_test_record":${JSON.stringify(`${mark}${at + 1}:${path}`)}`);
    }),
  );

  const { contents } = await readFiles(kit, marked);

  const found = contents.map(expectAscending).reduce((sum, count) => sum + count, 0);
  const isEmpty = records === 0 || contents.every(({ messages }) => messages.length === 0);
  if (!isEmpty && found === 0) fail("no message holds the unknown field of its record");
}

/** @returns How many messages could be told. */
function expectAscending({ session, messages }: SessionContent): number {
  let found = 0;
  const last = new Map<string, { readonly record: number; readonly id: string }>();
  for (const message of messages) {
    const first = firstRecords(message);
    if (first.size > 0) found += 1;
    for (const [file, record] of first) {
      const before = last.get(file);
      if (before && before.record > record) {
        fail(
          `${file}, record ${record}: its message ${message.id} comes behind ` +
            `message ${before.id} of record ${before.record} in session ${session.id}`,
        );
      }
      last.set(file, { record, id: message.id });
    }
  }
  return found;
}

/** Of each file, the first of the records that the message was made of. */
function firstRecords(message: Message): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { value } of leavesOf(messageToWire(message))) {
    const [, number, file = ""] = typeof value === "string" ? (pattern.exec(value) ?? []) : [];
    if (number === undefined) continue;
    first.set(file, Math.min(Number(number), first.get(file) ?? Number.POSITIVE_INFINITY));
  }
  return first;
}

const mark = "pond-test-record:";
const pattern = /^pond-test-record:(\d+):(.*)$/s;
