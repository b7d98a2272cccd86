import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { parsedObject, stringifyJson } from "@pond/canonical";
import { fileChunks, isSystemError, type RestoredFile, readLines } from "@pond/canonical/adapter";
import { TargetUnwritableError } from "../errors.ts";

/**
 * True where a file that sessions share has the last of these lines, so that none is to be added.
 * What cannot be read holds none: writing there tells why.
 */
export async function holdsLines(path: string, content: RestoredFile["content"]): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    return (await compareLines(path, content)).missing.length === 0;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

/**
 * Puts those lines to the end of a file that follow the last one it has. Its client may be writing
 * there too: they go there at once, and nothing else changes.
 */
export async function appendLines(path: string, content: RestoredFile["content"]): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    // Reading a pipe would wait for a writer that never comes.
    if (!(await file.stat()).isFile()) {
      throw new TargetUnwritableError(path, "what is there is no file");
    }
    const { missing, isEnded } = await compareLines(path, content);
    if (missing.length === 0) return;
    const added = missing.map((line) => `${line}\n`);
    // A line that broke off would take the next one along.
    await file.appendFile([...(isEnded ? [] : ["\n"]), ...added].join(""));
  } finally {
    await file.close();
  }
}

/** The lines that follow the last one a file has, and whether what is there has an end. */
async function compareLines(path: string, content: RestoredFile["content"]) {
  const text = Buffer.concat([...content].map((piece) => Buffer.from(piece))).toString();
  const lines = text.split("\n").map(asRestored);
  // What stands behind the last line end.
  const wanted = lines.filter((line) => line !== "");
  const held = new Map(wanted.map((line) => [line, 0]));
  let isEnded = true;
  for await (const lines of readLines(fileChunks(path))) {
    for (const { text, isTerminated } of lines) {
      isEnded = isTerminated;
      const line = text !== undefined && isTerminated ? asRestored(text) : "";
      const times = held.get(line);
      if (times !== undefined) held.set(line, times + 1);
    }
  }
  // A line that is to be there twice is; and one that goes before another that is there stays away,
  // for the last one counts.
  let begin = 0;
  for (const [at, line] of wanted.entries()) {
    const times = held.get(line) ?? 0;
    if (times > 0) begin = at + 1;
    held.set(line, times - 1);
  }
  const missing = wanted.slice(begin);
  return { missing, isEnded };
}

/** The same values may be written in other ways, such as `1.0`. */
function asRestored(line: string): string {
  const record = parsedObject(line);
  return record === undefined ? line : stringifyJson(record);
}
