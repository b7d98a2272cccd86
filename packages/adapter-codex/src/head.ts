import { isJsonObject, type JsonValue, type Micros } from "@pond/canonical";
import {
  type Extracted,
  openRecord,
  type RecordOutcome,
  type SourceRecord,
} from "@pond/canonical/adapter";
import { type ReadOptions, readEntries } from "./read-file.ts";
import type { Author } from "./records/envelope.ts";
import type { ThreadFile } from "./threads.ts";
import { contextDirectory, directoryAt, toolCallDirectory } from "./working-directory.ts";

/** What a thread says about itself, gathered from the first records that say it. */
export type Head = {
  /**
   * From its first header. Headers of other threads, which a fork copies, belong to its history.
   */
  readonly meta?: Meta;
  /** The directory it was started in, if its header has none. */
  readonly project?: Extracted<string>;
  /** The time of some record, for a thread whose header has none. */
  readonly firstTime?: Extracted<Micros>;
  /**
   * A directory in which a tool was called, or that another thread's header names; used if nothing
   * else names one.
   */
  readonly firstDirectory?: Extracted<string>;
  /** Where its repository comes from; used if there is no directory anywhere. */
  readonly repository?: Extracted<string>;
};

type Meta = {
  readonly id?: Extracted<string>;
  readonly createdAt?: Extracted<Micros>;
  readonly project?: Extracted<string>;
  readonly parent?: Extracted<string>;
  /** True if the parent is the thread that it was forked from and that did not spawn it. */
  readonly isFork?: boolean;
  readonly author: Author;
  /** The ordinal where its own history begins, after what its spawner gave it. */
  readonly historyStart: number | undefined;
};

/** True if no later record can add anything. */
export function isComplete({ meta, project }: Head): boolean {
  return meta?.createdAt !== undefined && (meta.project ?? project) !== undefined;
}

/**
 * What these records say, in order, as far as it is needed.
 *
 * @param thread - The thread that the file is named for; a header of another one does not count as
 * its own.
 * @param known - What records before them said.
 */
export function headOf(
  entries: Iterable<RecordOutcome>,
  thread: string | undefined,
  known: Head = {},
): Head {
  let head = known;
  for (const entry of entries) {
    if (isComplete(head)) break;
    if (entry.kind === "record") head = { ...headOfRecord(entry.record, thread), ...head };
  }
  return head;
}

/** Reads a thread until everything is known. */
export async function readHead(files: readonly ThreadFile[], options: ReadOptions): Promise<Head> {
  let head: Head = {};
  for (const file of files) {
    for await (const entries of readEntries(file, options)) {
      head = headOf(entries, file.name.thread, head);
      if (isComplete(head)) return head;
    }
  }
  return head;
}

/** Reads copies of the fields: what is taken here still has to be read with its record. */
function headOfRecord(record: SourceRecord, thread: string | undefined): Head {
  const type = record.peek("type");
  const payload = openObject(record, record.peek("payload"));
  const firstTime = copyFields(record, "timestamp").timestamp("timestamp");
  const time = firstTime && { firstTime };
  if (type === "session_meta" && payload) {
    return { ...headOfMeta(payload, firstTime, thread), ...time };
  }
  if (type === "turn_context" && payload) {
    const project = directoryAt(payload, "cwd");
    return { ...time, ...(project && { project }) };
  }
  // The TypeScript client's document, and the header line of the clients after it.
  const session = openObject(record, record.peek("session"));
  if (session) return { ...headOfMeta(session, firstTime, thread), ...time };
  if (type === undefined && firstTime && typeof record.peek("id") === "string") {
    return {
      ...headOfMeta(copyFields(record, "id", "timestamp", "git"), firstTime, thread),
      ...time,
    };
  }
  const item = payload && type === "response_item" ? payload : copyFields(record, ...itemFields);
  const project = contextDirectory(item);
  const firstDirectory = toolCallDirectory(item);
  return { ...time, ...(project && { project }), ...(firstDirectory && { firstDirectory }) };
}

function headOfMeta(
  header: SourceRecord,
  time: Extracted<Micros> | undefined,
  thread: string | undefined,
): Head {
  const id = header.id("id");
  const createdAt = header.timestamp("timestamp") ?? time;
  const project = directoryAt(header, "cwd");
  if (id && thread !== undefined && header.peek("id") !== thread) {
    // Its lineage and author are not this thread's.
    return {
      ...(createdAt && { firstTime: createdAt }),
      ...(project && { firstDirectory: project }),
    };
  }
  const historyStart = header.peek("subagent_history_start_ordinal");
  const meta = {
    ...(id && { id }),
    ...(createdAt && { createdAt }),
    ...(project && { project }),
    ...parentOf(header),
    author: authorOf(header),
    historyStart: typeof historyStart === "number" ? historyStart : undefined,
  };
  const git = header.record("git");
  const repository = git && directoryAt(git, "repository_url");
  return { meta, ...(repository && { repository }) };
}

/**
 * The spawner takes precedence over the thread that it was forked from, because an agent may be
 * given a history.
 */
function parentOf(meta: SourceRecord): Pick<Meta, "parent" | "isFork"> {
  const own = meta.peek("id");
  const spawn = meta.record("source")?.record("subagent")?.record("thread_spawn");
  const spawner = spawn?.id("parent_thread_id") ?? meta.id("parent_thread_id");
  if (spawner && own !== (spawn?.peek("parent_thread_id") ?? meta.peek("parent_thread_id"))) {
    return { parent: spawner };
  }
  const source = meta.id("forked_from_id");
  return source && own !== meta.peek("forked_from_id") ? { parent: source, isFork: true } : {};
}

function authorOf(meta: SourceRecord): Author {
  const source = meta.record("source");
  const purpose = meta.peek("thread_source");
  const isInternal = source?.peek("internal") !== undefined;
  if (isInternal || purpose === "memory_consolidation" || purpose === "guardian_review") {
    return "harness";
  }
  if (source?.peek("subagent") === undefined) {
    const isFromEditor =
      meta.peek("originator") === "codex_vscode" && meta.peek("source") === "exec";
    return purpose === "subagent" ? "agent" : isFromEditor ? "editor" : "human";
  }
  return source.record("subagent")?.peek("thread_spawn") === undefined ? "harness" : "agent";
}

const itemFields = ["role", "content", "action", "arguments"];

function openObject({ at }: SourceRecord, value: JsonValue | undefined): SourceRecord | undefined {
  return isJsonObject(value) ? openRecord(at, value) : undefined;
}

function copyFields(record: SourceRecord, ...keys: readonly string[]): SourceRecord {
  return openRecord(record.at, Object.fromEntries(keys.map((key) => [key, record.peek(key)])));
}
