import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createRandom, tailedLength } from "../shared/random.ts";
import { idOf, sessionLines } from "./session.ts";

export type GeneratedCorpus = {
  /** A Claude Code home: `projects/<slug>/<session>.jsonl` below it. */
  readonly home: string;
  readonly files: readonly string[];
  readonly records: number;
  readonly bytes: number;
};

/** Its size; the session that reaches either number is the last. */
export type CorpusShape = {
  readonly sessions?: number;
  /** Each record becomes a message. */
  readonly records?: number;
  /** Records of the median session; half of the sessions are shorter, and a few much longer. */
  readonly recordsPerSession: number;
};

const projects = 40;
const seed = 1;

/** Writes sessions that look real to a program, but hold nobody's text. */
export function generateCorpus(home: string, shape: CorpusShape): GeneratedCorpus {
  const random = createRandom(seed);
  const files: string[] = [];
  let records = 0;
  let bytes = 0;
  const { sessions = Number.POSITIVE_INFINITY, records: enough = Number.POSITIVE_INFINITY } = shape;
  while (files.length < sessions && records < enough) {
    const cwd = cwdOf(files.length);
    const id = idOf(random);
    const wanted = tailedLength(random, shape.recordsPerSession, 0.9);
    const startMs = startOf(files.length);
    const lines = sessionLines(random, { id, cwd, startMs, records: wanted });
    const text = `${lines.join("\n")}\n`;
    const slug = cwd.replaceAll(/[^A-Za-z0-9]/g, "-");
    const path = join(home, "projects", slug, `${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    files.push(path);
    records += lines.length;
    bytes += Buffer.byteLength(text);
  }
  return { home, files, records, bytes };
}

/** Appends to a session what its client would: a prompt and the answer. */
export function growSession(file: string, turn: number): void {
  const id = basename(file, ".jsonl");
  const cwd = `/work/${basename(dirname(file)).slice("-work-".length)}`;
  const shape = { id, cwd, startMs: startOf(100_000 + turn), records: 4 };
  const lines = sessionLines(createRandom(1_000 + turn), shape);
  appendFileSync(file, `${lines.join("\n")}\n`);
}

/** The words of each prompt of a session. */
export function promptsOf(file: string): string[][] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes('"permissionMode"'))
    .map((line): string[] => JSON.parse(line).message.content.split(" "));
}

function cwdOf(session: number): string {
  return `/work/project-${String(session % projects)}`;
}

function startOf(session: number): number {
  return Date.UTC(2026, 0, 1) + session * 600_000;
}
