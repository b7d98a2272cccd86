import { isJsonObject, tryParseJson } from "@pond/canonical";
import { type Extracted, openRecord, type SourceRecord, splitText } from "@pond/canonical/adapter";

/** The directory at `key`, if it is one, or the address there. */
export function directoryAt(record: SourceRecord, key: string): Extracted<string> | undefined {
  return record.peek(key) === "" ? undefined : record.string(key);
}

/** The directory that an old client told the model and recorded nowhere else. */
export function contextDirectory(item: SourceRecord): Extracted<string> | undefined {
  if (item.peek("role") !== "user") return undefined;
  for (const block of item.records("content") ?? []) {
    const raw = block.peek("text");
    const text = block.string("text");
    if (!text || typeof raw !== "string") continue;
    if (!raw.trimStart().startsWith("<environment_context>")) continue;
    const found = contextPatterns.flatMap((pattern) => pattern.exec(raw)?.indices ?? [])[1];
    if (found) return splitText(text, found)[1];
  }
  return undefined;
}

const contextPatterns = [
  /<cwd>([^<]+)<\/cwd>/d,
  /^[ \t]*Current working directory: ([^\r\n]*[^\s])/dm,
];

/** The directory in which a tool was called; the TypeScript client recorded no other. */
export function toolCallDirectory(item: SourceRecord): Extracted<string> | undefined {
  const given = item.peek("arguments");
  const places = [
    [item.peek("action"), "working_directory"],
    // A model may write anything; such a call names no directory.
    [typeof given === "string" ? tryParseJson(given) : given, "workdir"],
  ] as const;
  for (const [value, key] of places) {
    if (!isJsonObject(value)) continue;
    const call = openRecord(item.at, value);
    // A model also names directories relative to the one that it does not know it is in.
    const place = call.peek(key);
    if (typeof place === "string" && /^(?:\/|[A-Za-z]:[\\/])/.test(place)) return call.string(key);
  }
  return undefined;
}
