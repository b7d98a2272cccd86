import { constants } from "node:buffer";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import {
  isJsonObject,
  messageFromWire,
  messageToWire,
  parseJson,
  sessionFromWire,
  sessionToWire,
  stringifyJson,
} from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { DamagedFileError } from "./errors.ts";
import { codeOf } from "./lock.ts";
import { readLineByLine } from "./session-lines.ts";

/**
 * Writes a session through a draft that is renamed: a reader sees the old file or the new one, even
 * after a power cut. Only for the holder of its lock.
 */
export async function writeSession(file: string, content: SessionContent): Promise<void> {
  const draft = draftOf(file);
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(textOf(content));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}

/** All writers use one name: the holder of the lock overwrites what a crash left. */
export function draftOf(file: string): string {
  return `${file}.draft`;
}

/** Writes a session and its messages, one a line, which is how `readLineByLine` recognizes them. */
function* textOf({ session, messages }: SessionContent): Generator<string> {
  yield `{\n  "session": ${stringifyJson(sessionToWire(session))},\n  "messages": [`;
  for (const [index, message] of messages.entries()) {
    yield `${index === 0 ? "" : ","}\n    ${stringifyJson(messageToWire(message))}`;
  }
  yield "\n  ]\n}\n";
}

// Bytes that are not UTF-8 would be read as other characters, which nobody said.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * @param maxTextBytes - The most bytes to read in one piece, if messages are not lines of their
 * own.
 * @returns undefined if there is no such file.
 * @throws {DamagedFileError} if it is not a session.
 */
export async function readSession(
  file: string,
  maxTextBytes: number = constants.MAX_STRING_LENGTH,
): Promise<SessionContent | undefined> {
  try {
    return (await readLineByLine(file)) ?? (await readWhole(file, maxTextBytes));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EISDIR")
      throw new DamagedFileError(file, "it is a folder", { cause: error });
    if (error instanceof Error && "syscall" in error) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DamagedFileError(file, reason, { cause: error });
  }
}

async function readWhole(file: string, maxTextBytes: number): Promise<SessionContent> {
  const bytes = await readFile(file);
  if (bytes.length > maxTextBytes)
    throw new RangeError("it is too long, and does not hold one message a line");
  const value = parseJson(utf8.decode(bytes));
  if (!isJsonObject(value) || !Array.isArray(value["messages"])) {
    throw new SyntaxError("expected a session with messages");
  }
  const { session, messages } = value;
  return { session: sessionFromWire(session), messages: messages.map(messageFromWire) };
}

/** Makes a rename or removal survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
