import type { Micros } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import type { Extracted, SourceRecord } from "@pond/canonical/adapter";
import { type LogOptions, readRecords } from "./read-records.ts";

/** What a session says about itself, gathered from the first records that say it. */
export type Head = {
  /** The first time in file order, which need not be the earliest. */
  readonly createdAt?: Extracted<Micros>;
  /** The directory it was started in. */
  readonly project?: Extracted<string>;
  /** The id its records give; an agent's records give that of the main session. */
  readonly recordedId?: string;
  /** The session it was forked from, and the last record copied from there. */
  readonly fork?: { readonly session: Extracted<string>; readonly message: Extracted<string> };
  /** The last record of the parent that an agent was given as its context. */
  readonly contextEnd?: Extracted<string>;
};

/**
 * Reads the start of a log, up to where everything is known. A fork is read whole, because only
 * its last copied record is the cut-point; others know after a few lines.
 */
export async function readHead(file: string, options: LogOptions): Promise<Head> {
  let head: Head = {};
  let isPastFork = false;
  for await (const entries of readRecords(file, { ...options, chunkBytes: 16 * 1024 })) {
    for (const entry of entries) {
      if (entry.kind !== "record") continue;
      head = learn(head, entry.record);
      isPastFork ||= entry.record.peek("uuid") !== undefined && head.fork === undefined;
      if (isPastFork && head.createdAt && head.project && head.recordedId) return head;
    }
  }
  return head;
}

function learn(head: Head, record: SourceRecord): Head {
  const createdAt = head.createdAt ?? record.timestamp("timestamp");
  const project = head.project ?? (record.peek("cwd") === "" ? undefined : record.string("cwd"));
  const recorded = record.peek("sessionId");
  const recordedId = head.recordedId ?? (typeof recorded === "string" ? recorded : undefined);
  const fork = forkOf(record) ?? head.fork;
  const isContext = record.peek("type") === "fork-context-ref";
  const contextEnd = head.contextEnd ?? (isContext ? record.id("parentLastUuid") : undefined);
  return {
    ...(createdAt && { createdAt }),
    ...(project && { project }),
    ...(recordedId && { recordedId }),
    ...(fork && { fork }),
    ...(contextEnd && { contextEnd }),
  };
}

function forkOf(record: SourceRecord): Head["fork"] {
  if (!isJsonObject(record.peek("forkedFrom"))) return undefined;
  const from = record.record("forkedFrom");
  const [session, message] = [from?.id("sessionId"), from?.id("messageUuid")];
  return session && message && { session, message };
}
