import { expect, it } from "vitest";
import { fromDemo } from "./demo/from-demo.ts";
import { readAll } from "./read.ts";
import { withFolder } from "./source-files.ts";

const lines = [
  { id: "s", cwd: "/work", at: "2026-03-01T09:00:00.000Z" },
  { id: "a", odd: 1 },
];
const log = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

it("notices a record that a reader drops (`adapter-integrity-no-silent-drops`)", () =>
  withFolder(new Map([["s.jsonl", log]]), async (folder) => {
    const whole = fromDemo(folder);
    const dropping: typeof whole = {
      ...whole,
      async *read(key, signal, count) {
        for await (const event of whole.read(key, signal, count)) {
          if (event.kind !== "message") yield event;
        }
      },
    };

    const events = await readAll(whole, "s.jsonl");

    expect(events.map(({ kind }) => kind)).toEqual(["session", "message"]);
    await expect(readAll(dropping, "s.jsonl")).rejects.toThrow(
      "s.jsonl: 2 records read, and 1 accounted for",
    );
  }));
