// Alone: measures memory.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentOf, readAll } from "@pond/adapter-testkit";
import { partsOf, type ReadEvent } from "@pond/canonical";
import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryUsed } from "../../../checks/memory-used.ts";
import { fromPhiCore } from "./from-phi-core.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-phi-core-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a session with a loop for each of these sizes, most of which its events take. */
function writeSession(...loopBytes: readonly number[]): void {
  writeLoops(loopBytes.map((bytes) => () => `"${"x".repeat(bytes)}"`));
}

/** Writes a session with a loop for each of these events. */
function writeLoops(events: readonly (() => string)[]): void {
  const file = openSync(join(folder, "s.json"), "w");
  writeSync(
    file,
    '{"session_id":"s","agent_id":"weaver","created_at":"2026-05-20T09:00:00Z","loops":[',
  );
  for (const [index, event] of events.entries()) {
    const message = {
      role: "user",
      content: [{ type: "text", text: `${index}` }],
      timestamp: index,
    };
    const names = { loop_id: `s.a.${index}`, started_at: "2026-05-20T09:00:01Z" };
    const loop = JSON.stringify({ ...names, messages: [message] }).slice(0, -1);
    writeSync(file, `${index === 0 ? "" : ","}${loop},"events":[${event()}]}`);
  }
  writeSync(file, "]}");
  closeSync(file);
}

function textsOf(events: readonly ReadEvent[]): unknown[] {
  return contentOf(events).messages.flatMap((message) =>
    partsOf(message).map((part) => part.type === "text" && part.text),
  );
}

it("keeps one loop of a file in memory at a time", async () => {
  const mb = 1024 * 1024;
  writeSession(...new Array<number>(60).fill(mb));
  const before = await memoryUsed();

  const used: number[] = [];
  let loops = 0;
  for await (const event of fromPhiCore(folder).read("s.json")) {
    if (event.kind !== "message" || !event.message.id.startsWith("loop:")) continue;
    loops += 1;
    if (loops % 20 === 0) used.push((await memoryUsed()) - before);
  }

  expect(loops).toBe(60);
  expect(Math.max(...used)).toBeLessThan(10 * mb);
});

it("reads a file that is larger than a text can be, but for a loop that is too long (`adapter-bounded-values`)", async () => {
  const mb = 1024 * 1024;
  writeSession(1, 257 * mb, 150 * mb, 150 * mb);

  const events = await readAll(fromPhiCore(folder), "s.json");

  const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault.details] : []));
  expect(faults).toMatchObject([
    { record: "loops[1]", reason: expect.stringMatching(/^a value of 2694\d+ bytes is too long/) },
  ]);
  expect(textsOf(events)).toEqual(["0", "2", "3"]);
});

it("reads all but a loop that holds too many values (`adapter-bounded-values`)", async () => {
  writeLoops([() => "0", () => `${"{},".repeat(8_000_000)}{}`, () => "2"]);

  const events = await readAll(fromPhiCore(folder), "s.json");

  const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault.details] : []));
  expect(faults).toMatchObject([
    { record: "loops[1]", reason: "more than 8000000 values are not kept" },
  ]);
  expect(textsOf(events)).toEqual(["0", "2"]);
});
