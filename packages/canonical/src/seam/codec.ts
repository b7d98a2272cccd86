import type { FaultEvent, ReadEvent } from "../event.ts";
import type { SessionId } from "../ids.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Message, SystemMessage } from "../message.ts";
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
  /** Its own file, where it has one: two readers of one file may name its session otherwise. */
  readonly file?: string;
};

/** The parse face: bound to one source, streaming (spec 6.1). */
export interface Reader {
  readonly origin: Origin;
  /** Sessions this source holds. Cheap: parses none of them. */
  sessions(signal?: AbortSignal): AsyncIterable<SourceSession | FaultEvent>;
  /** The fingerprint now; undefined where the session is gone. */
  fingerprint(key: string): Promise<string | undefined>;
  /**
   * The state of what tells where a session descends from, other sessions' logs among it: differs
   * whenever what is `unresolved` of it may be told now. Cheap, and asked only where something was.
   * Left out by a reader whose sessions say all of it themselves.
   */
  parentState?(key: string): Promise<string | undefined>;
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

/**
 * Lines of a file that sessions share, of which the last one of each session counts. Those that
 * follow the last one that is there are added, and none where its client has written a later one.
 */
export type SharedLines = {
  /** The field that says which session a line is of. */
  readonly key: string;
  /** The field that says when it was written, in RFC 3339. */
  readonly time: string;
};

/** One file of a restored session; nothing is on disk yet. */
export type RestoredFile = {
  readonly session: SessionId;
  /** Relative, `/`-separated, inside the client's own folder. */
  readonly path: string;
  /** Text or bytes, in order. */
  readonly content: Iterable<string | Uint8Array>;
  /**
   * Of JSON lines in a file that sessions share: they go to its end, and nothing is replaced. The
   * session's own files come before.
   */
  readonly shared?: SharedLines;
  /** Foreign restore only: what this file keeps of its session. */
  readonly fidelity?: Fidelity;
};

/** A session that goes back to the client it came from, above one that is translated for that. */
export type NativeParent = {
  readonly session: Session;
  /** Of its first file, as `writeNative` places it. */
  readonly path: string;
};

/** The serialize face: a pure function of canonical sessions (spec 6.1). */
export interface Writer {
  readonly origin: Origin;
  /**
   * For sessions of this origin. Value-complete (`adapter-native-restore-lossless`).
   *
   * @param hasFile - Whether the client's folder that they go to has a file or folder: what a client
   * keeps there tells which files it takes. Default: they go to no client's folder.
   */
  writeNative(lineage: Lineage, hasFile?: (path: string) => boolean): Iterable<RestoredFile>;
  /**
   * For every other session. Best effort, always valid in the target client.
   *
   * @param parents - What the root descends from, its parent first: sessions of this origin, which
   * the client has. They have the ids and paths that they came with. Without, the root stands by
   * itself, whatever it says; a client that has no place for a parent needs none.
   */
  writeForeign(
    lineage: Lineage,
    meanings: Meanings,
    parents?: readonly NativeParent[],
  ): Iterable<RestoredFile>;
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

/** The messages a client would go on from, and those that no model is to be told again. */
export type Course = {
  readonly live: readonly Message[];
  readonly undone: readonly Message[];
  /** Those of `undone` whose words stand in what is live, too: none of them is lost. */
  readonly retold?: ReadonlySet<Message>;
};

/** The model an answer came from, and who served it, as far as its source says. */
export type NamedModel = { readonly model?: string; readonly provider?: string };

/** A picture that stands in a record and is no part of a message. */
export type GivenImage = { readonly mediaType: string; readonly base64: string };

/** What stands before a session's own messages, and in other sessions of its client alone. */
export type Inherited = {
  /** Those sessions, the oldest first, each with what it gives of its messages. */
  readonly pieces: readonly SessionContent[];
  /** Present where not all of it is known: ids of sessions that may hold more, likeliest first. */
  readonly missing?: readonly string[];
};

/** What the records of one client mean to a model of another that is told its session. */
export type RecordRules = {
  /**
   * What a session goes on from, where its client writes only what came later: no client has such a
   * session without, but one that opens it alone. Default: nothing, for a session holds all that was
   * said in it.
   *
   * @param known - Sessions that may hold it, so far; asked again with those that were missing.
   */
  readonly inherited?: (content: SessionContent, known: readonly SessionContent[]) => Inherited;
  /**
   * True where the client opens such a session alone, too: what it goes on from is not restored along
   * with it. Default: the client refuses that.
   */
  readonly opensAlone?: boolean;
  /**
   * Parts what was taken back, left for another branch or kept from the client's own models.
   * Together they are all there was; a message may be cut in two. Default: all is live.
   */
  readonly course?: (content: SessionContent) => Course;
  /**
   * Ids by which messages of the session above name a sub-agent, or the call that started it. One
   * that is first named in what `course` undoes is no more restored for another client than its call
   * is. Default: the id of its session.
   */
  readonly agentNames?: (agent: SessionContent) => readonly string[];
  /**
   * What such messages call it in words, where they do: it is named where a value is these and
   * nothing else. Default: nothing.
   */
  readonly agentLabel?: (agent: SessionContent) => string | undefined;
  /**
   * What a sub-agent was asked for, where its log has that within words of its client's. It may have
   * several logs: each of them was started by the call that alone asked for that. Default: nothing.
   */
  readonly agentPrompt?: (agent: SessionContent) => string | undefined;
  /** What a system message tells a model; empty for nothing. Default: its text. */
  readonly givenText?: (message: SystemMessage) => string;
  /**
   * The pictures that a system message gives a model beside its text. They are of the record, which
   * is counted as one. Default: none.
   */
  readonly givenImages?: (message: SystemMessage) => readonly GivenImage[];
  /**
   * The model of an answer, or the one that a record names for the answers behind it. Default: the
   * answer's, under the names that most clients have for it (`modelOf` of `@pond/canonical/foreign`).
   */
  readonly model?: (message: Message) => NamedModel;
};

/** Reads a call of any known client. */
export type ReadTool = (origin: Origin, call: ClientCall) => CommonCall | undefined;

/** What clients wrote, understood; core makes it from the registry. */
export type Meanings = {
  /** Default: every call stays in its client's own words. */
  readonly readTool?: ReadTool;
  /** Undefined for a client that has no rules, and for one that is not known. */
  readonly recordsOf?: (origin: Origin) => RecordRules | undefined;
};

/**
 * What a client has of a session that is to be put there: nothing; all of it, gone on in or not; an
 * earlier state that nobody went on in; or another one, which lacks something and stays.
 */
export type Held = "missing" | "current" | "earlier" | "other";

/** How a restored session is continued. */
export type Resume = {
  /** Commands to run in order, each a program and its arguments. */
  readonly commands: readonly (readonly string[])[];
  /** Where to run them: the session's working directory. */
  readonly directory?: string;
  /** For what the client is known to stop in these commands, one sentence each; absent for nothing. */
  readonly refused?: readonly string[];
};

/** What was restored and where to. */
export type Installed = {
  readonly session: Session;
  /** The client's own folder, absolute. */
  readonly home: string;
  /** Every file of the session and of those below it; paths relative to `home`. */
  readonly files: readonly RestoredFile[];
  /** Sessions of these of which the client is given nothing: it has them. Default: none. */
  readonly held?: ReadonlySet<SessionId>;
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
  /** Absent where its records say nothing to others but what canonical fields hold. */
  readonly records?: RecordRules;
  /** What the client would refuse in its files, one sentence each; empty where it takes them. */
  readonly problems?: (files: ReadonlyMap<string, Uint8Array>) => readonly string[];
  /** What the client has of the session of these files; absent where it has what stands in them. */
  readonly held?: (home: string, files: readonly RestoredFile[]) => Held;
  /** Where in its home the client has moved a file to, such as an archive; absent where it moves none. */
  readonly movedTo?: (home: string, path: string) => string | undefined;
  /** Writes a file where the client may be writing too; absent where a rename is enough. */
  readonly save?: (file: string, content: RestoredFile["content"]) => Promise<void>;
  /** Absent where the client is a library and has no command. */
  readonly resume?: (installed: Installed) => Resume;
  /**
   * True for a session of the client's own that it goes on with only in the one above it, such as a
   * sub-agent; absent where it takes each by itself.
   */
  readonly resumesAbove?: (content: SessionContent) => boolean;
};
