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
  /** Names the session within its reader; the same from run to run. */
  readonly key: string;
  /** Opaque; changes whenever the session's files may have changed. */
  readonly fingerprint: string;
  /** Size of what will be read, for progress reports. */
  readonly bytes: number;
  /**
   * The session's own file, if it has one. Two readers of one file may give its session different
   * keys.
   */
  readonly file?: string;
};

/** The parsing side of an adapter: bound to one source, streaming (spec 6.1). */
export interface Reader {
  readonly origin: Origin;
  /** Lists the sessions that this source holds. Cheap: no session is parsed. */
  sessions(signal?: AbortSignal): AsyncIterable<SourceSession | FaultEvent>;
  /** The current fingerprint; undefined if the session is gone. */
  fingerprint(key: string): Promise<string | undefined>;
  /**
   * The state of everything that tells where a session descends from, including the logs of other
   * sessions. It changes whenever an `unresolved` origin may be resolvable now. Cheap; asked only
   * for sessions that had one. A reader whose sessions say all of it themselves leaves this out.
   */
  parentState?(key: string): Promise<string | undefined>;
  /**
   * The events of one session. Faults are yielded, not thrown: one bad record costs one record.
   *
   * @param count - Told about every record taken from the source, if the reader counts them.
   */
  read(key: string, signal?: AbortSignal, count?: RecordCount): AsyncIterable<ReadEvent>;
}

/** A session with its messages in source order and the newest revisions applied. */
export type SessionContent = {
  readonly session: Session;
  readonly messages: readonly Message[];
};

/** A session and every session below it, parents first (`adapter-lineage-complete-restore`). */
export type Lineage = {
  readonly root: SessionContent;
  readonly descendants: readonly SessionContent[];
};

/** What became of the parts of one type. The three counts add up to all of them. */
export type FidelityCount = {
  /** Present in the files as what it is. */
  readonly kept: number;
  /** Present in the target's own words, or as something else. */
  readonly translated: number;
  /** Not in the files; it stays in pond. */
  readonly dropped: number;
};

/** What became of each part type, and of whole system messages, in a restore. */
export type Fidelity = Readonly<Partial<Record<PartType | "system", FidelityCount>>>;

/**
 * Describes lines of a file that sessions share. The last line of each session counts. Writing adds
 * the lines after the last one that is already there; it adds none if the client has written a
 * later one.
 */
export type SharedLines = {
  /** The field that names the line's session. */
  readonly key: string;
  /** The field that says when the line was written, in RFC 3339. */
  readonly time: string;
};

/** One file of a restored session. Nothing is on disk yet. */
export type RestoredFile = {
  /**
   * The session that the file belongs to, by the id that the writer was given. Pond puts its own id
   * for the session in its place.
   */
  readonly session: SessionId;
  /** Relative, `/`-separated, inside the client's own folder. */
  readonly path: string;
  /** Text or bytes, in order. */
  readonly content: Iterable<string | Uint8Array>;
  /**
   * Present for JSON lines of a file that sessions share: they are appended, and nothing is
   * replaced. The session's own files come before.
   */
  readonly shared?: SharedLines;
  /** Foreign restore only: what this file keeps of its session. */
  readonly fidelity?: Fidelity;
};

/**
 * A session that goes back to the client it came from, above a session that is translated for that
 * client.
 */
export type NativeParent = {
  readonly session: Session;
  /** The path of its first file, as `writeNative` places it. */
  readonly path: string;
};

/** The serializing side of an adapter: a pure function of canonical sessions (spec 6.1). */
export interface Writer {
  readonly origin: Origin;
  /**
   * Writes sessions of this origin. Value-complete (`adapter-native-restore-lossless`).
   *
   * @param hasFile - Tells whether the client's folder that the files go to has a file or folder at
   * this path: what a client keeps there shows which files it accepts. Default: the files go to no
   * client's folder.
   */
  writeNative(lineage: Lineage, hasFile?: (path: string) => boolean): Iterable<RestoredFile>;
  /**
   * Writes every other session. Best effort, but always valid in the target client.
   *
   * @param parents - The sessions that the root descends from, its parent first. They are of this
   * origin, the client has them, and they keep the ids and paths they came with. Without them the
   * root stands by itself, whatever it says; a client that has no place for a parent needs none.
   */
  writeForeign(
    lineage: Lineage,
    meanings: Meanings,
    parents?: readonly NativeParent[],
  ): Iterable<RestoredFile>;
}

/** What the tools of most clients do, under one name each. */
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

/** A tool call in no particular client's words. */
export type CommonCall = {
  readonly kind: ToolKind;
  /** The parameters that have a common name (`toolFields` of `@pond/canonical/foreign`). */
  readonly fields: JsonObject;
  /** All other parameters, as the client wrote them, so that nothing is lost on the way. */
  readonly rest: JsonObject;
};

/** A tool call as a client wrote it. */
export type ClientCall = { readonly name: string; readonly params: JsonValue };

/** The tools of one client: translates their calls to and from the common form. */
export type Tools = {
  /** Undefined if no other client has a clear counterpart. */
  readonly read: (call: ClientCall) => CommonCall | undefined;
  /** Undefined if this client has no such tool. */
  readonly write: (call: CommonCall) => ClientCall | undefined;
};

/**
 * Separates the messages that a client would continue from those that no model is to be told again.
 */
export type Course = {
  readonly live: readonly Message[];
  readonly undone: readonly Message[];
  /** The messages of `undone` whose words also stand in what is live: none of them is lost. */
  readonly duplicates?: ReadonlySet<Message>;
};

/** The model that an answer came from and its provider, as far as the source names them. */
export type NamedModel = { readonly model?: string; readonly provider?: string };

/** A picture that stands in a record but is not a part of a message. */
export type ContextImage = { readonly mediaType: string; readonly base64: string };

/** What precedes a session's own messages but stands only in other sessions of its client. */
export type InheritedHistory = {
  /** Those sessions, the oldest first, each with the messages that it contributes. */
  readonly pieces: readonly SessionContent[];
  /** Present if not all of it is known: ids of sessions that may hold more, likeliest first. */
  readonly missing?: readonly string[];
};

/** What one client's records mean when its session is told to a model of another client. */
export type RecordRules = {
  /**
   * What a session continues from, if its client writes only what came later. No other client is
   * given such a session without it, except one that opens the session alone. Default: nothing,
   * because a session holds everything that was said in it.
   *
   * @param known - The sessions found so far that may hold it. Asked again once missing ones are
   * found.
   */
  readonly inherited?: (
    content: SessionContent,
    known: readonly SessionContent[],
  ) => InheritedHistory;
  /**
   * True if the client also opens such a session alone: what it continues from is then not restored
   * along with it. Default: the client refuses to open it.
   */
  readonly opensAlone?: boolean;
  /**
   * Separates what was taken back, left for another branch or hidden from the client's own models.
   * Together `live` and `undone` are everything; a message may be cut in two. Default: all is live.
   */
  readonly course?: (content: SessionContent) => Course;
  /**
   * Ids by which messages of the session above name a sub-agent, or the call that started it. A
   * sub-agent that is first named in something `course` undoes is not restored for another client,
   * as its call is not. Default: the id of its session.
   */
  readonly agentNames?: (agent: SessionContent) => readonly string[];
  /**
   * The words by which such messages call the sub-agent, if they do. It is named where a value
   * consists of exactly these words. Default: nothing.
   */
  readonly agentLabel?: (agent: SessionContent) => string | undefined;
  /**
   * What a sub-agent was asked for, if its log has that within its client's own words. A sub-agent
   * may have several logs; the call that asked for exactly this started each of them. Default:
   * nothing.
   */
  readonly agentPrompt?: (agent: SessionContent) => string | undefined;
  /** What a system message tells a model; empty for nothing. Default: its text. */
  readonly contextText?: (message: SystemMessage) => string;
  /**
   * The pictures that a system message gives a model besides its text. They belong to the record,
   * which is counted as one. Default: none.
   */
  readonly contextImages?: (message: SystemMessage) => readonly ContextImage[];
  /**
   * The model of an answer, or the model that a record names for the answers after it. Default: the
   * answer's model, under the keys that most clients use (`modelOf` of `@pond/canonical/foreign`).
   */
  readonly model?: (message: Message) => NamedModel;
};

/** Reads a call of any known client. */
export type ReadTool = (origin: Origin, call: ClientCall) => CommonCall | undefined;

/** How to interpret what clients wrote; core builds it from the registry. */
export type Meanings = {
  /** Default: every call stays in its client's own words. */
  readonly readTool?: ReadTool;
  /** Undefined for a client that has no rules and for an unknown one. */
  readonly recordRulesOf?: (origin: Origin) => RecordRules | undefined;
};

/**
 * What a client already has of a session that is to be written there:
 *
 * - `missing`: nothing;
 * - `current`: all of it, continued or not;
 * - `earlier`: an earlier state that nobody continued;
 * - `other`: a different session, which lacks something and stays.
 */
export type CopyState = "missing" | "current" | "earlier" | "other";

/** How a restored session is continued. */
export type Resume = {
  /** Commands to run in order, each as a program and its arguments. */
  readonly commands: readonly (readonly string[])[];
  /** Where to run them: the session's working directory. */
  readonly directory?: string;
  /**
   * Why the client is known to refuse these commands, one sentence each; absent if there is no
   * reason.
   */
  readonly problems?: readonly string[];
};

/** What was restored, and where. */
export type InstalledSession = {
  /**
   * The session as pond keeps it. Its id in the client is another one if the session came from
   * another client, or shares its id with another session. What the client calls it stands in its
   * files.
   */
  readonly session: Session;
  /** The client's own folder, absolute. */
  readonly home: string;
  /** Every file of the session and of the sessions below it; paths are relative to `home`. */
  readonly files: readonly RestoredFile[];
  /** The sessions of these that are not written, because the client has them. Default: none. */
  readonly existing?: ReadonlySet<SessionId>;
};

/** The environment that decides where a client keeps its files. */
export type Environment = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** One entry of the registry: everything pond knows about a client (spec 6.7). */
export type Adapter = {
  readonly origin: Origin;
  /** Folders where the client keeps its files on this machine. They need not exist. */
  readonly homes: (environment: Environment) => readonly string[];
  /** Opens a reader of such a folder, of the client's session folder, or of one session file. */
  readonly from: (path: string) => Reader;
  readonly to: Writer;
  /** Absent if the client has no tools that others have too. */
  readonly tools?: Tools;
  /** Absent if the client's records tell others nothing beyond the canonical fields. */
  readonly recordRules?: RecordRules;
  /** What the client would refuse in its files, one sentence each; empty if it accepts them. */
  readonly problems?: (files: ReadonlyMap<string, Uint8Array>) => readonly string[];
  /**
   * What the client already has of the session in these files. Absent if it has whatever stands in
   * them.
   */
  readonly copyState?: (home: string, files: readonly RestoredFile[]) => CopyState;
  /**
   * Where in its home the client has moved a file, such as to an archive. Absent if it moves none.
   */
  readonly movedTo?: (home: string, path: string) => string | undefined;
  /**
   * Writes a restored file, for a client that may be writing it too or keeps a database in its place.
   * Absent if a rename is enough.
   */
  readonly save?: (file: string, content: RestoredFile["content"]) => Promise<void>;
  /** Absent if the client is a library and has no command. */
  readonly resume?: (installed: InstalledSession) => Resume;
  /**
   * True for a session of the client's own, such as a sub-agent, that it continues only within the
   * session above it. Absent if it continues every session by itself.
   */
  readonly resumesInParent?: (content: SessionContent) => boolean;
};
