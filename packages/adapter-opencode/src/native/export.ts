import type { JsonObject, SessionId } from "@pond/canonical";
import { stringifyJson } from "@pond/canonical";
import type { RestoredFile } from "@pond/canonical/adapter";
import { fileName } from "../file-name.ts";
import type { RestoredMessage } from "../records/message.ts";
import { type ImportableMessage, importableMessages, importableSession } from "./importable.ts";
import type { RestoredSecondHalf, RestoredSession } from "./restored-session.ts";

/**
 * A session as a file that the client imports. What a database held beyond an export goes under
 * `pond`, which the client ignores. A session with messages of 1.x and of 2.x becomes two files,
 * because no version takes both shapes.
 */
export function* writeExport(session: RestoredSession, id: SessionId): Generator<RestoredFile> {
  const own = session.store === "tree" ? undefined : session.path;
  const path = own ?? `pond/${fileName(id)}.json`;
  yield { session: id, path, content: lazily(() => pieces(session, session.schema)) };
  if (session.continued) {
    const later = { ...session, ...session.continued, sides: new Map() };
    const content = lazily(() => pieces(later, 2));
    yield { session: id, path: path.replace(/\.json$/, ".2.json"), content };
  }
}

function lazily(run: () => Iterator<string>): Iterable<string> {
  return { [Symbol.iterator]: run };
}

function* pieces(
  session: RestoredSession & Pick<RestoredSecondHalf, "without" | "isSame">,
  schema: 1 | 2,
): Generator<string> {
  const isExport = session.store === "export";
  // An export is given back with its own values, whether a client accepts them or not.
  const isFilled = !isExport && schema === 1;
  const info = isFilled ? importableSession(session) : undefined;
  const added: Record<string, readonly string[]> = {};
  const note = (place: string, names: readonly string[] = []): void => {
    if (names.length > 0) added[place] = names;
  };
  note("info", info?.added);
  note("summary", info?.addedToSummary);
  yield `{\n  "info": ${stringifyJson(info?.record ?? session.record)},\n  "messages": [`;
  const beside: Record<string, JsonObject> = {};
  // No client takes parts without their message.
  const cut = new Map<string, readonly JsonObject[]>();
  let written = 0;
  const all = ofSchema(session.messages, schema);
  for (const { message, added: inMessage } of isFilled ? importableMessages(all) : unchanged(all)) {
    if (!isExport) Object.assign(beside, rowsOf(message));
    if (message.isCut && !isExport) {
      const records = message.parts.map(({ record }) => record);
      cut.set(String(message.record["id"]), records);
      continue;
    }
    yield `${written > 0 ? "," : ""}\n    ${stringifyJson(exported(message, isExport))}`;
    for (const [place, names] of inMessage) note(`${written}${place}`, names);
    written++;
  }
  yield "\n  ]";
  if (isExport) {
    for (const [key, value] of Object.entries(session.row)) {
      yield `,\n  ${JSON.stringify(key)}: ${stringifyJson(value)}`;
    }
  } else {
    const sides = Object.fromEntries(
      Array.from(session.sides, ([name, { value = null }]) => [name, value]),
    );
    const parts = cut.size > 0 && { parts: Object.fromEntries(cut) };
    const without = session.without !== undefined && { without: session.without };
    const filled = Object.keys(added).length > 0 && { added };
    const own = { session: session.row, rows: beside };
    const same = session.isSame && { same: true };
    const pond = { ...own, ...without, ...same, ...filled, ...parts, ...sides };
    yield `,\n  "pond": ${stringifyJson(pond)}`;
  }
  yield "\n}\n";
}

function* ofSchema(messages: Iterable<RestoredMessage>, schema: 1 | 2): Generator<RestoredMessage> {
  for (const message of messages) if (message.schema === schema) yield message;
}

function* unchanged(messages: Iterable<RestoredMessage>): Generator<ImportableMessage> {
  for (const message of messages) yield { message, added: [] };
}

function exported({ schema, record, row, parts }: RestoredMessage, isExport: boolean): JsonObject {
  if (schema === 2) return record;
  const records = parts.map((part) => part.record);
  if (!isExport) return { info: record, parts: records };
  const { lacks, ...beside } = row;
  const own = Array.isArray(lacks) && lacks.includes("parts") ? {} : { parts: records };
  return { info: record, ...own, ...beside };
}

/** What the store had beside each record, by the record's id. */
function rowsOf({
  message,
  row,
  record,
  parts,
  isCut,
}: RestoredMessage): Record<string, JsonObject> {
  const all = [
    { record, row, id: isCut ? String(record["id"]) : message.id },
    ...parts.map((part) => ({ ...part, id: "" })),
  ];
  return Object.fromEntries(
    all.flatMap(({ id, record, row }) => {
      const key = id || (typeof record["id"] === "string" ? record["id"] : "");
      return Object.keys(row).length > 0 && key !== "" ? [[key, row]] : [];
    }),
  );
}
