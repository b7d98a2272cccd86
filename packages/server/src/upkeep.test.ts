import { expect, test } from "vitest";
import { said, sessionOf, testPond } from "./testing.ts";

test("many small ingests leave neither fragments nor rows that no index knows", async () => {
  const failures: unknown[] = [];
  const pond = testPond({ onUpkeepFailed: (error) => failures.push(error) });
  for (let at = 0; at < 60; at += 1) {
    await pond.ask("ingest", { events: [sessionOf("s"), ...said("s", at, `text ${at}`)] });
  }
  // In turn with whatever upkeep there is.
  await pond.ask("ingest", { events: [] });

  const { messages, tables } = await pond.ask("status", {});

  expect(messages).toBe(60);
  for (const { fragments } of tables) expect(fragments).toBeLessThan(30);
  expect(failures).toEqual([]);
  await pond.remove();
});
