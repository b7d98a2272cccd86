import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThrowAwayHome } from "./throw-away-home.ts";

/** Sessions that a real client has just made, in its own files. */
export type Generated = {
  /** The client's own folder. */
  readonly folder: string;
  /** What was typed in the main session, in order. */
  readonly typed: readonly string[];
  /** Sessions there are: the main one, sub-agents, forks. */
  readonly sessions: number;
  /** How many of them are sub-agents. */
  readonly helpers: number;
  remove(): Promise<void>;
};

/** What is typed into every client; the scripts say which tool each prompt leads to. */
export const prompts = {
  list: "Please list the folder",
  read: "Now read the notes",
  edit: "Then edit the notes",
  fail: "Try what must go wrong",
  delegate: "Let a helper count the lines",
  script: "Count the lines with a script",
  thank: "Thank you. That is all 🙂",
  goOn: "One thing more, please",
} as const;

/** What a helper is asked. */
export const task = "Say how many lines there are";

/** The file that the prompts are about; its path. */
export function writeNotes({ work }: ThrowAwayHome): string {
  const path = join(work, "notes.txt");
  writeFileSync(path, "first line\nsecond line\n");
  return path;
}
