import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { fromRfc3339, stringifyJson, tryParseObject } from "@pond/canonical";
import {
  fileChunks,
  isSystemError,
  type RestoredFile,
  readLines,
  type SharedLines,
} from "@pond/canonical/adapter";
import { TargetUnwritableError } from "../errors.ts";

type Content = RestoredFile["content"];

/**
 * True if a file that sessions share lacks none of a session's lines, so that none has to be added.
 * An unreadable file holds none; writing it will tell why.
 */
export async function hasAllLines(
  path: string,
  content: Content,
  shared: SharedLines,
): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    return (await compareLines(path, content, shared)).missing.length === 0;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

/**
 * Appends the lines of a session that a file lacks. Its client may be writing there, too: the lines
 * go there in one write, and nothing else changes.
 */
export async function appendLines(
  path: string,
  content: Content,
  shared: SharedLines,
): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    // Reading a pipe would wait for a writer that never comes.
    if (!(await file.stat()).isFile()) {
      throw new TargetUnwritableError(path, "what is there is not a file");
    }
    const { missing, isEnded } = await compareLines(path, content, shared);
    if (missing.length === 0) return;
    const added = missing.map((line) => `${line}\n`);
    // Otherwise an interrupted line would swallow the next one.
    await file.appendFile([...(isEnded ? [] : ["\n"]), ...added].join(""));
  } finally {
    await file.close();
  }
}

/** The lines of a session that a file lacks, and whether what is there ends with a line end. */
async function compareLines(path: string, content: Content, shared: SharedLines) {
  const text = Buffer.concat([...content].map((piece) => Buffer.from(piece))).toString();
  // What follows the last line end is not a line.
  const wanted = text.split("\n").filter((line) => line !== "");
  const own = wanted.map((line) => lineOf(line, shared));
  const session = own.at(-1)?.session ?? "";
  const existing: Line[] = [];
  let isEnded = true;
  for await (const lines of readLines(fileChunks(path))) {
    for (const { text, isTerminated } of lines) {
      isEnded = isTerminated;
      if (text === undefined || !isTerminated || !mayMention(text, session)) continue;
      const line = lineOf(text, shared);
      if (line.session === session) existing.push(line);
    }
  }
  return { missing: missingLines(own, existing).map(({ text }) => text), isEnded };
}

/** Most lines belong to other sessions and need not be parsed to see that. */
function mayMention(text: string, session: string): boolean {
  return text.includes(session) || text.includes("\\");
}

/** The lines of a session that have to follow those that are there. */
function missingLines(own: readonly Line[], existing: readonly Line[]): readonly Line[] {
  const [last, lastExisting] = [own.at(-1), existing.at(-1)];
  if (last === undefined || lastExisting === undefined) return own;
  const places = Map.groupBy([...own.keys()].reverse(), (at) => own[at]?.text);
  if (lastExisting.time > last.time && !places.has(lastExisting.text)) return [];
  // In the order of the existing lines, so that a line that is to be there twice is; a line that
  // comes before another existing one is not added.
  let end = 0;
  for (const { text } of existing) {
    const behind = places.get(text);
    let at = behind?.pop();
    while (at !== undefined && at < end) at = behind?.pop();
    if (at !== undefined) end = at + 1;
  }
  const missing = own.slice(end);
  // The last existing line is not a later one, and the last one has to count.
  return missing.length === 0 && lastExisting.text !== last.text ? [last] : missing;
}

type Line = {
  /** The same values may be written in other ways, such as `1.0`. */
  readonly text: string;
  readonly session: string;
  readonly time: bigint;
};

function lineOf(line: string, { key, time }: SharedLines): Line {
  const record = tryParseObject(line);
  if (record === undefined) return { text: line, session: "", time: 0n };
  const [session, at] = [record[key], record[time]];
  return {
    text: stringifyJson(record),
    session: typeof session === "string" ? session : "",
    time: (typeof at === "string" ? fromRfc3339(at) : undefined) ?? 0n,
  };
}
