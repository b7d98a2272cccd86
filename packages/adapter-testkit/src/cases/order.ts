import { fail } from "node:assert/strict";
import type { SessionContent } from "@pond/canonical/adapter";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { wholeLines } from "../mutate.ts";
import { readFiles } from "../read-files.ts";
import { markedRecords, withMarks } from "../record-marks.ts";

/** Messages come in the order of their records in the log, whatever their timestamps say. */
export function orderCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "adapter-integrity-event-ordering",
    name: `the messages of ${fixture.name} come in the order of their records`,
    run: () => expectSourceOrder(kit, fixture),
  }));
}

async function expectSourceOrder(kit: CompleteKit, fixture: Fixture): Promise<void> {
  const marked = withMarks(kit, await fixture.load());

  const { contents } = await readFiles(kit, marked);

  const found = contents.map(expectAscending).reduce((sum, count) => sum + count, 0);
  const isMarked = [...marked].some(
    ([path, bytes]) => kit.isLineFile(path) && wholeLines(bytes).length > 0,
  );
  const isEmpty = !isMarked || contents.every(({ messages }) => messages.length === 0);
  if (!isEmpty && found === 0) fail("no message holds the unknown field of its record");
}

/** @returns How many messages could be identified. */
function expectAscending({ session, messages }: SessionContent): number {
  let found = 0;
  const last = new Map<string, { readonly record: number; readonly id: string }>();
  for (const message of messages) {
    const marked = markedRecords(message);
    if (marked.size > 0) found += 1;
    for (const [file, records] of marked) {
      const record = Math.min(...records);
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
