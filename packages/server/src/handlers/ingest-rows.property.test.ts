import { type CanonicalEvent, EventValidator } from "@pond/canonical";
import fc from "fast-check";
import { expect, test } from "vitest";
import { header, sessionOf, textPart } from "../testing.ts";
import { groupRows } from "./ingest-rows.ts";

const ids = fc.constantFrom("a", "b");
const numbers = fc.nat(2);

const sound = fc.oneof(
  { weight: 2, arbitrary: ids.map((id) => sessionOf(id)) },
  { weight: 3, arbitrary: fc.tuple(ids, numbers).map(([id, at]) => header(id, at)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(ids, numbers, fc.constantFrom("p", "q"))
      .map(([id, at, part]) => textPart(id, at, "x", part)),
  },
);

/** An event of which a field is gone, or anything at all. */
const unsound = fc.oneof(
  fc.tuple(sound, fc.nat(9)).map(([event, at]) => {
    const { kind } = event;
    const fields = Object.entries((event as unknown as Record<string, object>)[kind] ?? {});
    return { kind, [kind]: Object.fromEntries(fields.filter((_, index) => index !== at)) };
  }),
  fc.anything(),
  fc.jsonValue(),
);

const requests = fc.array(
  fc.oneof({ weight: 12, arbitrary: sound }, { weight: 1, arbitrary: unsound }),
  { maxLength: 25 },
);

test("every event is either taken or rejected, and every message taken is whole and in order", () => {
  fc.assert(
    fc.property(requests, (events) => {
      const { sessions, rejected } = groupRows(events);

      const stored = sessions.flatMap(({ session, messages }) => [
        ...(session === undefined ? [] : [session]),
        ...messages.flatMap(({ rows }) => rows),
      ]);
      const places = [...stored, ...rejected].map(({ event }) => event);
      expect(places.sort((left, right) => left - right)).toEqual([...events.keys()]);
      for (const { session, messages } of sessions) {
        const validator = new EventValidator();
        const rows: { event: number; value: CanonicalEvent }[] = messages.flatMap(
          (each) => each.rows,
        );
        if (session === undefined) expect(rows).toEqual([]);
        else for (const { value } of [session, ...rows]) validator.accept(value);
        // No part that was sent of it is missing.
        const taken = new Set(rows.map(({ event }) => event));
        for (const { value } of rows) {
          if (value.kind !== "message") continue;
          const { id, session_id } = value.message;
          for (const [at, event] of events.entries()) {
            if (isPartOf(event, session_id, id) && !taken.has(at)) {
              // But for those of a message of the same id, which was refused for coming again.
              const code = rejected.find((row) => row.event === at)?.code;
              expect(code).toBe("left_out");
            }
          }
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

function isPartOf(event: unknown, session: string, message: string): boolean {
  if (typeof event !== "object" || event === null || !("part" in event)) return false;
  const { part } = event;
  if (typeof part !== "object" || part === null) return false;
  const { session_id, message_id } = part as { session_id?: unknown; message_id?: unknown };
  return session_id === session && message_id === message;
}
