import type { Message } from "@pond/canonical";
import { carriedRecord, type InheritedHistory, type SessionContent } from "@pond/canonical/adapter";
import { fileId, type HistoryBase, historyBase } from "./cut-offs.ts";
import { ordinalOf } from "./ordinal.ts";
import { bytesOf, type File, filesOf, recordEnd } from "./write-native.ts";

/**
 * What a forked thread continues. A thread with numbered records holds only what comes after the
 * cut. Its header names a file, of a thread or of one of its reverts, and the place of the cut in
 * it. That file may continue another one in the same way.
 */
export function inherited(
  content: SessionContent,
  known: readonly SessionContent[],
): InheritedHistory {
  const filesById = new Map<string, { readonly file: File; readonly holder: SessionContent }>();
  for (const holder of known) {
    for (const file of filesOf(holder)) filesById.set(fileId(file.path), { file, holder });
  }
  const pieces: SessionContent[] = [];
  const [first] = filesOf(content);
  for (let base = first && baseOf(first); base !== undefined; ) {
    const found = filesById.get(base.file);
    if (found === undefined) return { pieces, missing: candidates(base, [content, ...known]) };
    // Each file once, so that no damaged header causes a loop.
    filesById.delete(base.file);
    const { file, holder } = found;
    pieces.unshift({ session: holder.session, messages: messagesBefore(base, file) });
    if (!isKnownUpTo(base, file)) return { pieces, missing: [] };
    const next = baseOf(file);
    // If the cut is before this whole file, its byte offset belongs to no other one.
    base = next && (next.end <= base.end ? next : { file: next.file, end: base.end });
  }
  return { pieces };
}

function baseOf({ messages }: File): HistoryBase | undefined {
  const header = messages.find((message) => carriedRecord(message)?.["type"] === "session_meta");
  return header && historyBase(header);
}

/**
 * The part of a file before the cut. Records that an older client wrote after the last number have
 * none and may be on either side: the bytes tell which.
 */
function messagesBefore({ end, bytes = 0 }: HistoryBase, { messages }: File): readonly Message[] {
  const last = messages.findLastIndex((message) => (ordinalOf(message) ?? end) < end);
  if (last === -1) return [];
  let cut = recordEnd(messages, last);
  let size: number | undefined;
  for (let next = messages[cut]; next && ordinalOf(next) === undefined; next = messages[cut]) {
    size ??= bytesOf(messages.slice(0, cut));
    const nextCut = recordEnd(messages, cut);
    size += bytesOf(messages.slice(cut, nextCut));
    if (size > bytes) break;
    cut = nextCut;
  }
  return messages.slice(0, cut);
}

/** True if a file is known up to the cut. */
function isKnownUpTo({ end }: HistoryBase, { messages }: File): boolean {
  return messages.some((message) => (ordinalOf(message) ?? -1) >= end - 1);
}

/**
 * The ids of sessions that may hold the file. A thread has the id of its first file; only the
 * thread itself says whose revert began a file.
 */
function candidates({ file }: HistoryBase, asked: readonly SessionContent[]): readonly string[] {
  const parents = asked.flatMap(({ session }) => session.parent_session_id ?? []);
  const known = new Set<string>(asked.map(({ session }) => session.id));
  return [...new Set<string>([file, ...parents])].filter((id) => !known.has(id));
}
