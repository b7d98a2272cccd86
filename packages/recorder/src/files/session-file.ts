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
 * Writes a session through a draft that is renamed: whoever reads sees the file as it was or as it
 * is, also after a power cut. Only for who has its lock.
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

/** One name for all writers: whoever has the lock writes over what a crash left. */
export function draftOf(file: string): string {
  return `${file}.draft`;
}

/** A session and its messages, a line each: `readLineByLine` knows them by that. */
function* textOf({ session, messages }: SessionContent): Generator<string> {
  yield `{\n  "session": ${stringifyJson(sessionToWire(session))},\n  "messages": [`;
  for (const [index, message] of messages.entries()) {
    yield `${index === 0 ? "" : ","}\n    ${stringifyJson(messageToWire(message))}`;
  }
  yield "\n  ]\n}\n";
}

// What is no UTF-8 would be read as other characters, which nobody said.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * @param maxTextBytes - Up to how much is read in one piece, where a message is no line of its own.
 * @returns undefined where there is no such file.
 * @throws {DamagedFileError} where it is no session.
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

/** So that a rename or removal outlasts a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
