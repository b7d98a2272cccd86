import type { FaultEvent, ReadEvent } from "../event.ts";
import type { SessionId } from "../ids.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Message } from "../message.ts";
import type { PartType } from "../part.ts";
import type { Session } from "../session.ts";
import type { RecordCount } from "./record-count.ts";

/** The brand of a client, such as `claude-code`. */
export type Origin = string;

/** One session of a source, found without parsing it. */
export type SourceSession = {
  readonly kind: "source";
  /** Names the session within its reader; stable from run to run. */
  readonly key: string;
  /** Opaque; differs whenever the session's files may have changed. */
  readonly fingerprint: string;
  /** Size of what will be read, for progress. */
  readonly bytes: number;
};

/** The parse face: bound to one source, streaming (spec 6.1). */
export interface Reader {
  readonly origin: Origin;
  /** Sessions this source holds. Cheap: parses none of them. */
  sessions(signal?: AbortSignal): AsyncIterable<SourceSession | FaultEvent>;
  /** The fingerprint now; undefined where the session is gone. */
  fingerprint(key: string): Promise<string | undefined>;
  /**
   * The events of one session. Faults are yielded, not thrown: one bad record costs one record.
   *
   * @param count - Told of every record as it is taken from the source, where the reader counts.
   */
  read(key: string, signal?: AbortSignal, count?: RecordCount): AsyncIterable<ReadEvent>;
}

/** A session with its messages in source order, newest revisions applied. */
export type SessionContent = {
  readonly session: Session;
  readonly messages: readonly Message[];
};

/** A session and every session below it (`adapter-lineage-complete-restore`), parents first. */
export type Lineage = {
  readonly root: SessionContent;
  readonly descendants: readonly SessionContent[];
};

/** What became of the parts of one type; together they are all there were. */
export type FidelityCount = {
  /** Said as what it is. */
  readonly kept: number;
  /** Said in the target's own words, or as something else. */
  readonly translated: number;
  /** Not in the files; it stays in pond. */
  readonly dropped: number;
};

/** What became of each part type, and of whole system messages, in a restore. */
export type Fidelity = Readonly<Partial<Record<PartType | "system", FidelityCount>>>;

/** One file of a restored session; nothing is on disk yet. */
export type RestoredFile = {
  readonly session: SessionId;
  /** Relative, `/`-separated, inside the client's own folder. */
  readonly path: string;
  /** Text or bytes, in order. */
  readonly content: Iterable<string | Uint8Array>;
  /** Foreign restore only: what this file keeps of its session. */
  readonly fidelity?: Fidelity;
};

/** The serialize face: a pure function of canonical sessions (spec 6.1). */
export interface Writer {
  readonly origin: Origin;
  /** For sessions of this origin. Value-complete (`adapter-native-restore-lossless`). */
  writeNative(lineage: Lineage): Iterable<RestoredFile>;
  /** For every other session. Best effort, always valid in the target client. */
  writeForeign(lineage: Lineage, readTool: ReadTool): Iterable<RestoredFile>;
}

/** What tools of most clients do, under one name each. */
export type ToolKind =
  | "shell"
  | "read"
  | "write"
  | "edit"
  | "patch"
  | "grep"
  | "glob"
  | "list"
  | "fetch"
  | "web_search"
  | "todo"
  | "agent";

/** A tool call in no client's own words. */
export type CommonCall = {
  readonly kind: ToolKind;
  /** The parameters that have a common name (`toolFields` of `@pond/canonical/foreign`). */
  readonly fields: JsonObject;
  /** All others, as the client wrote them: nothing is lost on the way. */
  readonly rest: JsonObject;
};

/** What a client wrote as a call of a tool. */
export type ClientCall = { readonly name: string; readonly params: JsonValue };

/** The tools of one client, read and written. */
export type Tools = {
  /** Undefined where no other client has a clear counterpart. */
  readonly read: (call: ClientCall) => CommonCall | undefined;
  /** Undefined where this client has no such tool. */
  readonly write: (call: CommonCall) => ClientCall | undefined;
};

/** Reads a call of any known client; core makes it from the registry. */
export type ReadTool = (origin: Origin, call: ClientCall) => CommonCall | undefined;

/** How a restored session is continued. */
export type Resume = {
  /** Commands to run in order, each a program and its arguments. */
  readonly commands: readonly (readonly string[])[];
  /** Where to run them: the session's working directory. */
  readonly directory?: string;
};

/** What was restored and where to. */
export type Installed = {
  readonly session: Session;
  /** The client's own folder, absolute. */
  readonly home: string;
  /** Every file of the session and of those below it; paths relative to `home`. */
  readonly files: readonly RestoredFile[];
};

/** Where a client keeps its files depends on these. */
export type Surroundings = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** One line of the registry (spec 6.7). */
export type Adapter = {
  readonly origin: Origin;
  /** Folders where the client keeps its files on this machine; they need not exist. */
  readonly homes: (surroundings: Surroundings) => readonly string[];
  /** A reader of such a folder, of its session folder, or of one session file. */
  readonly from: (path: string) => Reader;
  readonly to: Writer;
  /** Absent where the client has no tools that others have too. */
  readonly tools?: Tools;
  /** What the client would refuse in its files, one sentence each; empty where it takes them. */
  readonly problems?: (files: ReadonlyMap<string, Uint8Array>) => readonly string[];
  /** Writes a file where the client may be writing too; absent where a rename is enough. */
  readonly save?: (file: string, content: RestoredFile["content"]) => Promise<void>;
  /** Absent where the client is a library and has no command. */
  readonly resume?: (installed: Installed) => Resume;
};
