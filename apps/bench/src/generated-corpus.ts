import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listing, prose } from "./generated-text.ts";
import { createRandom, tailedLength } from "./random.ts";

export type GeneratedCorpus = {
  /** A Claude Code home: `projects/<slug>/<session>.jsonl` below it. */
  readonly home: string;
  readonly files: readonly string[];
  readonly records: number;
  readonly bytes: number;
};

/**
 * Lays out Claude Code sessions with the record mix, line lengths and key sets measured on real
 * ones (median tool result 2 KB, a twelfth of the lines metadata, a tool call per answer), and
 * none of their text.
 *
 * @param target - How many records to write in all; a session holds about 130.
 */
export function generateCorpus(home: string, target: number, seed = 1): GeneratedCorpus {
  const random = createRandom(seed);
  const files: string[] = [];
  let records = 0;
  let bytes = 0;
  while (records < target) {
    const cwd = `/work/project-${String(files.length % 40)}`;
    const lines = sessionLines(random, cwd, tailedLength(random, 90, 0.8), files.length);
    const text = `${lines.join("\n")}\n`;
    const path = join(
      home,
      "projects",
      cwd.replaceAll(/[^A-Za-z0-9]/g, "-"),
      `${idOf(random)}.jsonl`,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    files.push(path);
    records += lines.length;
    bytes += Buffer.byteLength(text);
  }
  return { home, files, records, bytes };
}

/** The lines a live client would append to a session: one prompt and its answer. */
export function grownLines(seed: number, cwd: string): string[] {
  return sessionLines(createRandom(seed), cwd, 4, seed);
}

function sessionLines(random: () => number, cwd: string, count: number, index: number): string[] {
  const sessionId = idOf(random);
  const lines: string[] = [];
  const startMs = Date.UTC(2026, 0, 1) + index * 600_000;
  let previous: string | null = null;

  const put = (record: object): void => void lines.push(JSON.stringify(record));
  const envelope = (): object => {
    const uuid = idOf(random);
    const turn = {
      parentUuid: previous,
      isSidechain: false,
      userType: "external",
      cwd,
      sessionId,
      version: "2.1.220",
      gitBranch: "main",
      uuid,
      timestamp: new Date(startMs + lines.length * 1_700).toISOString(),
    };
    previous = uuid;
    return turn;
  };
  const assistant = (block: object, stop: string | null): void => {
    const turn = envelope();
    const message = {
      model: "model-large",
      id: `msg_${idOf(random)}`,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: stop,
      stop_sequence: null,
      usage: { input_tokens: 3, cache_read_input_tokens: 18_204, output_tokens: 411 },
    };
    put({ ...turn, message, requestId: `req_${idOf(random)}`, type: "assistant" });
  };
  const user = (content: unknown, extra: object): void => {
    put({ ...envelope(), type: "user", message: { role: "user", content }, ...extra });
  };

  while (lines.length < count) {
    user(prose(random, tailedLength(random, 120, 1)), { permissionMode: "default" });
    const steps = 1 + Math.floor(random() * 10);
    for (let step = 0; step < steps; step++) {
      if (random() < 0.35) {
        const thinking = prose(random, tailedLength(random, 700, 0.8));
        const signature = createHash("sha512").update(thinking).digest("base64").repeat(6);
        assistant({ type: "thinking", thinking, signature }, null);
      }
      const call = `toolu_${idOf(random)}`;
      const file_path = `${cwd}/src/${prose(random, 6).replaceAll(" ", "-")}`;
      assistant({ type: "tool_use", id: call, name: "Read", input: { file_path } }, "tool_use");
      const content = listing(random, tailedLength(random, 700, 1.3));
      const file = { filePath: file_path, content, numLines: 40, startLine: 1, totalLines: 400 };
      user([{ tool_use_id: call, type: "tool_result", content }], {
        toolUseResult: { type: "text", file },
      });
      if (random() < 0.2) {
        put({ type: "mode", mode: "normal", sessionId });
        put({ type: "last-prompt", lastPrompt: prose(random, 120), sessionId });
      }
    }
    assistant({ type: "text", text: prose(random, tailedLength(random, 320, 0.9)) }, "end_turn");
  }
  return lines;
}

function idOf(random: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 4_294_967_296)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return [8, 12, 16, 20].reduceRight((id, at) => `${id.slice(0, at)}-${id.slice(at)}`, hex);
}
