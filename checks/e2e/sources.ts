import { cpSync, globSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { adapters } from "@pond/adapters";
import { corpusFolder } from "../corpus.ts";

export type ClientHome = { readonly client: string; readonly name: string; readonly home: string };

/** Homes of every client to try: our samples, and the corpus if there is one. */
export function clientHomes(): readonly ClientHome[] {
  return adapters.flatMap(({ origin: client }) => {
    const samples = resolve("fixtures/samples", client);
    const corpus = corpusFolder(client);
    return [
      { client, name: `samples of ${client}`, home: samples },
      ...(corpus === undefined ? [] : [{ client, name: `corpus of ${client}`, home: corpus }]),
    ];
  });
}

/** The two homes of Claude Code. */
export function claudeCodeHomes(): readonly ClientHome[] {
  return clientHomes().filter(({ client }) => client === "claude-code");
}

/** Every single file of a folder as a session of its own, laid out as a Claude Code home. */
export function layOut(folder: string, home: string): void {
  for (const file of globSync("**/*.jsonl", { cwd: folder })) {
    const directory = join(home, "projects", file.replaceAll(/[^A-Za-z0-9]/g, "-").slice(-80));
    mkdirSync(directory, { recursive: true });
    cpSync(join(folder, file), join(directory, basename(file)));
  }
}

export type Series = {
  readonly client: string;
  readonly session: string;
  /** The client's path for the session, below its home. */
  readonly file: string;
  readonly states: readonly string[];
};

const places: Readonly<Record<string, (session: string) => string>> = {
  "claude-code": (session) => `projects/-work-app/${session}.jsonl`,
  codex: (session) => `sessions/2026/01/02/rollout-2026-01-02T03-04-05-${session}.jsonl`,
  opencode: (session) => `exports/${session}.json`,
  pi: (session) => `sessions/--work-app--/2026-01-02T03-04-05-006Z_${session}.jsonl`,
};

/** Earlier and later states of single sessions, for every client that has some. */
export function growthSeries(): readonly Series[] {
  return adapters.flatMap(({ origin: client }) => {
    const place = places[client];
    const folder = place && corpusFolder(join("_growth", client));
    if (place === undefined || folder === undefined) return [];
    return readdirSync(folder).map((session) => ({
      client,
      session,
      file: place(session),
      states: readdirSync(join(folder, session))
        .sort()
        .map((state) => join(folder, session, state)),
    }));
  });
}
