import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Home } from "./testing.ts";
import { conditions, startOf } from "./testing-start.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

/** Elsewhere no process is told the most that it took itself. */
const isToldHere = process.platform === "linux";
const megabyte = 1_000_000;
/** What it takes to run the sources, where they are not built. */
const sourcesMb = conditions.length === 0 ? 0 : 64;
const line = 'Weavers of Ælfgifu\'s reeds, 4711 of them: "nest"\n';

function record(uuid: string, role: string, content: unknown): string {
  return JSON.stringify({
    ...{ type: role, uuid, sessionId: "long", cwd: "/work", version: "2.1.0" },
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role, content },
  });
}

/** A session with one long text; gives its log. */
function writeLong(megabytes: number, toContent: (text: string) => unknown): string {
  const call = { type: "tool_use", id: "c", name: "Bash", input: { command: "cat" } };
  return home.writeSession(
    "long",
    record("1", "user", "Where do they nest?"),
    record("2", "assistant", [call]),
    record("3", "user", toContent(line.repeat((megabytes * megabyte) / line.length))),
    record("4", "assistant", [{ type: "text", text: "In reeds." }]),
  );
}

/** The most memory that a sync took, in MB, as if it were built. */
async function peakOfSync(): Promise<number> {
  const status = join(home.folder, "status.txt");
  // What the system tells whoever waits for it counts what started it, too, for the time in between.
  const note = `import fs from "node:fs"; process.on("exit", () => fs.writeFileSync(${JSON.stringify(status)}, fs.readFileSync("/proc/self/status")))`;
  const noted = `--import=data:text/javascript,${encodeURIComponent(note)}`;
  const { code } = await home.spawn(["sync", "-q"], { start: [noted, ...startOf("main")] });
  expect(code).toBe(0);
  const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8")) ?? [];
  return Number(peakKb) / 1024 - sourcesMb;
}

it.runIf(isToldHere)(
  "pond sync takes less than 384 MB for a prompt of 12 MB, which is restored unchanged",
  async () => {
    const log = writeLong(12, (text) => text);
    const peakMb = await peakOfSync();
    const out = join(home.folder, "restored");
    await home.pond("restore", "long", "--out", out, "-q");

    expect(peakMb).toBeLessThan(384);
    const restored = recordsIn(join(out, "projects/-work/long.jsonl"));
    // Compared at once: what differs is too long to be shown.
    expect(isDeepStrictEqual(restored, recordsIn(log))).toBe(true);
  },
);

it.runIf(isToldHere)(
  "pond sync takes less than 512 MB for a tool result of 64 MB, again when the session has grown",
  async () => {
    const result = { type: "tool_result", tool_use_id: "c" };
    const log = writeLong(64, (content) => [{ ...result, content }]);
    const firstMb = await peakOfSync();
    appendFileSync(log, `${record("5", "user", "In reeds alone?")}\n`);
    const grownMb = await peakOfSync();

    expect(firstMb).toBeLessThan(512);
    expect(grownMb).toBeLessThan(512);
  },
);

function recordsIn(file: string): unknown[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((each) => JSON.parse(each));
}
