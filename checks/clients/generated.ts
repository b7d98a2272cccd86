import type { ChildProcess } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import type { JsonObject } from "@pond/canonical";
import type { ThrowAwayHome } from "./throw-away-home.ts";

/** Sessions that a real client has just written to its own files. */
export type Generated = {
  /** The client's own folder. */
  readonly folder: string;
  /** The texts typed in the main session, in order. */
  readonly typed: readonly string[];
  /** All texts typed anywhere, in order. The client may have taken none of them. */
  readonly tried: readonly string[];
  /** The number of sessions: the main one, sub-agents, forks. */
  readonly sessions: number;
  /** How many of them are sub-agents. */
  readonly helpers: number;
  /** The client's own export of a session, if it keeps no file for each session. */
  readonly exported?: (id: string) => Promise<JsonObject>;
  remove(): Promise<void>;
};

/** Does a part of a client's work; resolves to false if the client cannot do it. */
export type Step = (what: string, work: () => Promise<unknown>) => Promise<boolean>;

/** A known client can do everything. */
export const everyStep: Step = async (_, work) => {
  await work();
  return true;
};

/** The prompts for every client. The scripts say which tool each prompt leads to. */
export const prompts = {
  list: "Please list the folder",
  read: "Now read the notes",
  edit: "Then edit the notes",
  plan: "Make a plan of what is left",
  look: "What is in the picture?",
  fail: "Try what must go wrong",
  delegate: "Let a helper count the lines",
  script: "Count the lines with a script",
  wait: "Wait until I stop you",
  thank: "Thank you. That is all 🙂",
  goOn: "One thing more, please",
  other: "Or the other way round",
} as const;

/** The task of a helper. */
export const task = "Say how many lines there are";

/** Collects the typed texts while a session is made. */
export class TypedTexts {
  readonly done: string[] = [];
  readonly tried: string[] = [];
  readonly #step: Step;

  constructor(step: Step) {
    this.#step = step;
  }

  /** Types a text, and remembers it as typed if the client took it. */
  async type(text: string, work: () => Promise<unknown>): Promise<void> {
    if (await this.typeElsewhere(text, work)) this.done.push(text);
  }

  /** Types a text into another session than the main one. */
  async typeElsewhere(text: string, work: () => Promise<unknown>): Promise<boolean> {
    this.tried.push(text);
    return this.#step(text, work);
  }
}

/** A PNG of one pixel, in Base64. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The picture that a prompt is about; its path. */
export function writePicture({ work }: ThrowAwayHome): string {
  const path = join(work, "dot.png");
  writeFileSync(path, Buffer.from(pixel, "base64"));
  return path;
}

/** A shell command that reports its start and runs until it is stopped. */
export const endlessCommand = "touch begun; sleep 100";

/** Resolves once {@link endlessCommand} runs in a home. @throws {Error} if the client ends. */
export async function untilCommandRuns(
  { work }: ThrowAwayHome,
  client: ChildProcess,
): Promise<void> {
  const sign = join(work, "begun");
  while (!existsSync(sign)) {
    if (client.exitCode !== null) throw new Error(`the client ended with ${client.exitCode}`);
    await later(20);
  }
  rmSync(sign);
}

/** The file that the prompts are about; its path. */
export function writeNotes({ work }: ThrowAwayHome): string {
  const path = join(work, "notes.txt");
  writeFileSync(path, "first line\nsecond line\n");
  return path;
}
