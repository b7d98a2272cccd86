import { constants } from "node:buffer";
import { createReadStream } from "node:fs";
import {
  type JsonValue,
  type Message,
  messageFromWire,
  parseJson,
  sessionFromWire,
} from "@pond/canonical";
import { readLines, type SessionContent } from "@pond/canonical/adapter";

/**
 * Reads a session that was written one message a line: as a whole it may be longer than a string
 * can be.
 *
 * @returns undefined if the file is laid out in another way.
 * @throws {ValidationError} if a line does not hold a message.
 */
export async function readLineByLine(file: string): Promise<SessionContent | undefined> {
  const lines = linesOf(file);
  const next = async (): Promise<string> => (await lines.next()).value ?? "";
  try {
    if ((await next()) !== "{") return undefined;
    const opening = await next();
    const session = valueIn(opening, '  "session": ');
    if (session === undefined || !opening.endsWith(",")) return undefined;
    if ((await next()) !== '  "messages": [') return undefined;
    const messages: Message[] = [];
    let line = await next();
    while (line !== "  ]") {
      const message = valueIn(line, "    ");
      if (message === undefined) return undefined;
      messages.push(messageFromWire(message));
      const isLast = !line.endsWith(",");
      line = await next();
      if (isLast !== (line === "  ]")) return undefined;
    }
    const isOver = (await next()) === "}" && (await lines.next()).done === true;
    return isOver ? { session: sessionFromWire(session), messages } : undefined;
  } finally {
    await lines.return(undefined);
  }
}

/** Ends at bytes that are not text, because they are not a line of a session. */
async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  const options = { maxLineBytes: constants.MAX_STRING_LENGTH };
  for await (const batch of readLines(createReadStream(file), options)) {
    for (const { text = "" } of batch) yield text;
  }
  return undefined;
}

function valueIn(line: string, start: string): JsonValue | undefined {
  if (!line.startsWith(start)) return undefined;
  try {
    return parseJson(line.slice(start.length, line.endsWith(",") ? -1 : undefined));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
