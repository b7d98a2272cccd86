// Sources and stores for the tests of this package: real files, the real adapter, temp folders.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fromClaudeCode, toClaudeCode } from "@pond/adapter-claude-code";
import type { Adapter, Reader } from "@pond/canonical/adapter";
import { openSessions, type SessionStore } from "@pond/sessions";
import { discoverSources, type Source } from "./discover.ts";
import type { SyncProgress } from "./progress.ts";
import { emptyReport } from "./report.ts";
import { type SyncOptions, type SyncReport, sync } from "./sync.ts";

export const claudeCode: Adapter = {
  origin: "claude-code",
  homes: ({ home }) => [join(home, ".claude")],
  from: (path) => fromClaudeCode(path),
  to: toClaudeCode,
};

export type Bench = {
  readonly folder: string;
  readonly sessions: SessionStore;
  readonly stateDirectory: string;
  /** Writes one session's file. */
  write(id: string, ...lines: readonly string[]): string;
  append(id: string, ...lines: readonly string[]): void;
  remove(id: string): void;
  sources(wrap?: (reader: Reader) => Reader): Source[];
  sync(
    options?: Partial<SyncOptions> & { readonly wrap?: (reader: Reader) => Reader },
  ): Promise<SyncReport>;
  readonly progress: SyncProgress[];
};

/** A place to sync from and a store to sync to; both vanish afterwards. */
export async function withBench(use: (bench: Bench) => Promise<void>): Promise<void> {
  // Reports name real paths, and on macOS the folder for such files is behind a link.
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "pond-sync-")));
  const sessions = await openSessions(join(folder, "store"), { mode: "write" });
  try {
    await use(createBench(folder, sessions));
  } finally {
    sessions.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function createBench(folder: string, sessions: SessionStore): Bench {
  const home = join(folder, "home");
  const stateDirectory = join(folder, "state");
  const fileOf = (id: string): string => join(home, ".claude", "projects", "-work", `${id}.jsonl`);
  const progress: SyncProgress[] = [];
  mkdirSync(dirname(fileOf("x")), { recursive: true });
  const bench: Bench = {
    folder,
    sessions,
    stateDirectory,
    progress,
    write(id, ...lines) {
      writeFileSync(fileOf(id), lines.map((line) => `${line}\n`).join(""));
      return fileOf(id);
    },
    append: (id, ...lines) => appendFileSync(fileOf(id), lines.map((line) => `${line}\n`).join("")),
    remove: (id) => rmSync(fileOf(id)),
    sources(wrap = (reader) => reader) {
      const found = discoverSources([claudeCode], { environment: { home, env: {} } });
      return found.map((source) => ({ ...source, reader: wrap(source.reader) }));
    },
    sync: ({ wrap, ...options } = {}) =>
      sync(sessions, bench.sources(wrap), {
        stateDirectory,
        host: "bench",
        now: () => new Date("2026-11-20T12:00:00Z"),
        onProgress: (event) => progress.push(event),
        ...options,
      }),
  };
  return bench;
}

/** A line of a transcript. */
export function line(session: string, id: string, text: string): string {
  return JSON.stringify({
    type: "user",
    uuid: id,
    parentUuid: null,
    sessionId: session,
    cwd: "/work",
    timestamp: "2026-03-01T09:00:00.000Z",
    message: { role: "user", content: text },
  });
}

/** The report of the one adapter, as far as it differs from an empty one. */
export function changesIn({ adapters }: SyncReport): Record<string, unknown> {
  const [report = emptyReport("none")] = adapters;
  const empty: Record<string, unknown> = {
    ...emptyReport(report.name),
    bytes_read: report.bytes_read,
    accounting: report.accounting,
  };
  return Object.fromEntries(
    Object.entries(report).filter(([key, value]) => {
      return JSON.stringify(value) !== JSON.stringify(empty[key]);
    }),
  );
}

export function stateFiles({ stateDirectory }: Bench): string[] {
  return readdirSync(stateDirectory).map((name) => join(stateDirectory, name));
}
