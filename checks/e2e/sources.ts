import { cpSync, globSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { corpusFolder } from "../corpus.ts";

/** Claude Code homes to try: our samples, and the corpus where there is one. */
export function claudeCodeHomes(): readonly { readonly name: string; readonly home: string }[] {
  const samples = resolve("fixtures/samples/claude-code");
  const corpus = corpusFolder("claude-code");
  return [
    { name: "samples", home: samples },
    ...(corpus === undefined ? [] : [{ name: "corpus", home: corpus }]),
  ];
}

/** Every single file of a folder as a session of its own, laid out as a Claude Code home. */
export function layOut(folder: string, home: string): void {
  for (const file of globSync("**/*.jsonl", { cwd: folder })) {
    const directory = join(home, "projects", file.replaceAll(/[^A-Za-z0-9]/g, "-").slice(-80));
    mkdirSync(directory, { recursive: true });
    cpSync(join(folder, file), join(directory, basename(file)));
  }
}

export type Series = { readonly session: string; readonly states: readonly string[] };

/** Earlier and later states of single sessions. */
export function growthSeries(): readonly Series[] {
  const folder = corpusFolder(join("_growth", "claude-code"));
  if (folder === undefined) return [];
  return readdirSync(folder).map((session) => ({
    session,
    states: readdirSync(join(folder, session))
      .sort()
      .map((state) => join(folder, session, state)),
  }));
}
