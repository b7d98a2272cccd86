import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { JsonObject, JsonValue } from "@pond/canonical";
import { withBlobs } from "./blobs.ts";
import { branchedEntries } from "./branched.ts";
import { buildSessionContext, type SessionContext } from "./context.ts";
import {
  isEntry,
  isHeader,
  type SessionDialect,
  type SessionEntry,
  type SessionHeader,
  textAt,
} from "./entry.ts";
import { SessionFileError } from "./errors.ts";
import { appendRecord, createLog, lineOf, readLog, rewriteLog } from "./log.ts";
import { isOlder, migrate, versionOf } from "./migrate.ts";
import { isTitleSlot, overwriteSlot, titleSlot } from "./title-slot.ts";
import { SessionTree, type SessionTreeNode } from "./tree.ts";

/** How {@link SessionFile.open} reads a session. */
export type SessionFileOptions = {
  /** Whose rules apply. */
  readonly dialect: SessionDialect;
  /** The time of new records. */
  readonly now?: () => Date;
  /**
   * Where omp keeps images beside its logs: `blobs` in its home. Without it they stay references.
   */
  readonly blobs?: string;
};

/** The session that {@link SessionFile.create} begins. */
export type NewSession = SessionFileOptions & {
  readonly cwd: string;
  /** Where to keep it; only in memory if there is none. */
  readonly path?: string;
  /** Default: a UUID. */
  readonly id?: string;
  /** The session that it comes from: an id or a path. */
  readonly parentSession?: string;
};

/** Fields of an entry; those not given are left out of it. @inline */
type Optional = Readonly<Record<string, JsonValue | undefined>>;

/**
 * A session of pi or omp: a tree of entries in a file that only grows, and a leaf where the next
 * entry goes. Moving the leaf writes nothing; the file only remembers it by the next entry.
 *
 * Use one writer at a time: each record is one write, but ids are unique only among those known
 * here.
 */
export class SessionFile {
  readonly dialect: SessionDialect;
  readonly path: string | undefined;
  readonly header: SessionHeader;
  /** Numbers of lines in the file that hold no record. */
  readonly malformedLines: readonly number[];
  readonly #tree: SessionTree;
  readonly #now: () => Date;
  readonly #blobs: string | undefined;
  #leafId: string | null;
  #slot: JsonObject | undefined;
  #isTerminated: boolean;
  /** True as long as the file on disk is of an older version. */
  #isOlder: boolean;
  /** Lines that are not entries: nothing here understands them, and nothing drops them. */
  readonly #others: readonly string[];

  private constructor(init: SessionFileInit) {
    this.dialect = init.options.dialect;
    this.#now = init.options.now ?? (() => new Date());
    this.#blobs = init.options.blobs;
    this.path = init.path;
    this.header = init.header;
    this.malformedLines = init.malformedLines ?? [];
    this.#slot = init.slot;
    this.#tree = new SessionTree(init.entries);
    this.#leafId = this.#tree.entries.at(-1)?.id ?? null;
    this.#isTerminated = init.isTerminated ?? true;
    this.#isOlder = init.path !== undefined && isOlder(init.header);
    this.#others = init.others ?? [];
  }

  /** Starts a session, and its file if a path is given. @throws {SessionFileError} if it exists. */
  static create({
    cwd,
    path,
    id = randomUUID(),
    parentSession,
    ...options
  }: NewSession): SessionFile {
    const timestamp = (options.now?.() ?? new Date()).toISOString();
    const parent = parentSession === undefined ? {} : { parentSession };
    const header: SessionHeader = { type: "session", version: 3, id, timestamp, cwd, ...parent };
    const file = new SessionFile({
      options,
      path,
      header,
      entries: [],
      slot: options.dialect === "omp" ? { title: "", updatedAt: timestamp } : undefined,
    });
    if (path !== undefined) createLog(path, file.#text());
    return file;
  }

  /**
   * Opens a session. One of version 1 or 2 is shown as version 3, and becomes that on disk with the
   * first record that is appended, as in both clients.
   *
   * @throws {SessionFileError} if the file cannot be read, holds no header, or is of version 4.
   */
  static open(path: string, options: SessionFileOptions): SessionFile {
    const { records, malformed, isTerminated } = readLog(path);
    const [first, second] = records;
    const slot = first && isTitleSlot(first) ? first : undefined;
    const header = slot ? second : first;
    if (header === undefined || !isHeader(header)) {
      throw new SessionFileError(path, "has no session header in its first line");
    }
    if (versionOf(header) > 3) throw new SessionFileError(path, "is of a version after 3");
    const body = records.slice(slot ? 2 : 1);
    const ids = new Set<string>();
    const nextId = () => {
      const next = newId((id) => ids.has(id));
      ids.add(next);
      return next;
    };
    const [, ...entries] = isOlder(header) ? migrate([header, ...body], nextId) : [header, ...body];
    return new SessionFile({
      options,
      path,
      header,
      entries: entries.filter(isEntry),
      slot,
      malformedLines: malformed.map(({ number }) => number),
      others: [
        ...entries.filter((record) => !isEntry(record)).map(lineOf),
        ...malformed.map(({ text }) => `${text}\n`),
      ],
      isTerminated,
    });
  }

  /** All entries, in the order of the file. */
  get entries(): readonly SessionEntry[] {
    return this.#tree.entries;
  }

  /** The entry that the next one becomes a child of; null before the first one. */
  get leafId(): string | null {
    return this.#leafId;
  }

  /** The entry that the next one comes after; undefined before the first one. */
  get leaf(): SessionEntry | undefined {
    return this.#leafId === null ? undefined : this.#tree.get(this.#leafId);
  }

  /** The entry of that id, if there is one. */
  entry(id: string): SessionEntry | undefined {
    return this.#tree.get(id);
  }

  /** Entries that name `parentId` as their parent; for `null`, those without one. */
  children(parentId: string | null): readonly SessionEntry[] {
    return this.#tree.children(parentId);
  }

  /** The entries from the root to an entry, or to the leaf. */
  branchTo(id: string | null = this.#leafId): readonly SessionEntry[] {
    return id === null ? [] : this.#tree.branch(id);
  }

  /** The roots, with everything that comes after them. */
  tree(): readonly SessionTreeNode[] {
    return this.#tree.nodes();
  }

  /** The label at an entry: the last one given, unless it was removed. */
  label(id: string): string | undefined {
    return this.#tree.label(id);
  }

  /** The user's title for the session. */
  get title(): string | undefined {
    if (this.dialect === "omp") {
      return (this.#slot && textAt(this.#slot, "title")) || textAt(this.header, "title");
    }
    const info = this.entries.findLast(({ type }) => type === "session_info");
    return info && textAt(info, "name");
  }

  /** What a model is given at the leaf, or at another entry. */
  context(leafId: string | null = this.#leafId): SessionContext {
    const context = buildSessionContext(this.#tree, leafId, this.dialect);
    if (this.#blobs === undefined) return context;
    return { ...context, messages: withBlobs(context.messages, this.#blobs) };
  }

  /**
   * Moves the leaf to an entry; the next one appended becomes its child.
   *
   * @throws {EntryNotFoundError}
   */
  branch(id: string): void {
    this.#leafId = this.#tree.require(id).id;
  }

  /** Moves the leaf to before the first entry; the next one begins another root. */
  resetLeaf(): void {
    this.#leafId = null;
  }

  /** Moves the leaf and tells the model what the abandoned branch was about. */
  branchWithSummary(id: string | null, summary: string, more: Optional = {}): string {
    const before = this.#leafId;
    if (id === null) this.resetLeaf();
    else this.branch(id);
    try {
      return this.#append("branch_summary", { fromId: id ?? "root", summary, ...more });
    } catch (error) {
      this.#leafId = before;
      throw error;
    }
  }

  /** Adds a message in the client's form at the leaf. @returns the id of its entry. */
  appendMessage(message: JsonObject): string {
    return this.#append("message", { message });
  }

  /** Sets how much the model thinks from here on; null is the client's own default. */
  appendThinkingLevelChange(thinkingLevel: string | null): string {
    return this.#append("thinking_level_change", { thinkingLevel });
  }

  /**
   * Sets which model answers from here on.
   *
   * @param role - omp only: which of its roles the model is for.
   */
  appendModelChange(provider: string, modelId: string, role?: string): string {
    return this.dialect === "omp"
      ? this.#append("model_change", { model: `${provider}/${modelId}`, role })
      : this.#append("model_change", { provider, modelId });
  }

  /** @throws {EntryNotFoundError} if the first entry to keep does not exist. */
  appendCompaction(
    summary: string,
    firstKeptEntryId: string,
    tokensBefore: number,
    more: Optional = {},
  ): string {
    this.#tree.require(firstKeptEntryId);
    return this.#append("compaction", { summary, firstKeptEntryId, tokensBefore, ...more });
  }

  /** Adds state of an extension, which no model sees. */
  appendCustom(customType: string, data?: JsonValue): string {
    return this.#append("custom", { customType, data });
  }

  /** Adds a message of an extension, which the model sees. */
  appendCustomMessage(
    customType: string,
    content: JsonValue,
    display: boolean,
    more: Optional = {},
  ): string {
    return this.#append("custom_message", { customType, content, display, ...more });
  }

  /** Labels an entry, or removes its label. @throws {EntryNotFoundError} */
  appendLabel(targetId: string, label: string | undefined): string {
    this.#tree.require(targetId);
    return this.#append("label", { targetId, label });
  }

  /** Adds any other kind of entry of the client, such as `session_init` or `mode_change` of omp. */
  append(type: string, fields: Optional = {}): string {
    return this.#append(type, fields);
  }

  /** Sets the title: pi writes an entry; omp overwrites the first line of the file. */
  setTitle(title: string, source?: "auto" | "user"): void {
    if (this.dialect === "pi") {
      this.#append("session_info", { name: title });
      return;
    }
    const updatedAt = this.#now().toISOString();
    const before = this.#slot;
    const hadSlot = before !== undefined && "v" in before;
    this.#slot = { type: "title", v: 1, title, ...(source && { source }), updatedAt };
    if (this.path === undefined) return;
    try {
      const isWritten = hadSlot && overwriteSlot(this.path, titleSlot(updatedAt, title, source));
      if (!isWritten) rewriteLog(this.path, this.#text());
    } catch (error) {
      this.#slot = before;
      throw error;
    }
  }

  /**
   * Makes a session of its own from the branch that ends at an entry: same entries, same ids, a new
   * header that names this session. Labels are repeated after them.
   *
   * @param directory - Where its file goes. Default: beside this one; in memory if this one is.
   * @throws {EntryNotFoundError}
   */
  createBranched(leafId: string, directory?: string): SessionFile {
    this.#tree.require(leafId);
    const now = this.#now();
    const id = randomUUID();
    const folder = directory ?? (this.path === undefined ? undefined : dirname(this.path));
    const name = `${now.toISOString().replaceAll(/[:.]/g, "-")}_${id}.jsonl`;
    const path = folder === undefined ? undefined : join(folder, name);
    const header: SessionHeader = {
      ...this.header,
      version: 3,
      id,
      timestamp: now.toISOString(),
      ...(this.path !== undefined && { parentSession: this.path }),
    };
    const file = new SessionFile({
      options: {
        dialect: this.dialect,
        now: this.#now,
        ...(this.#blobs !== undefined && { blobs: this.#blobs }),
      },
      path,
      header,
      entries: branchedEntries(this.#tree, leafId, newId, now),
      slot:
        this.dialect === "omp"
          ? { title: this.title ?? "", updatedAt: now.toISOString() }
          : undefined,
    });
    if (path !== undefined) createLog(path, file.#text());
    return file;
  }

  #append(type: string, fields: Optional): string {
    const id = newId((each) => this.#tree.get(each) !== undefined);
    const given = Object.entries(fields).flatMap(([key, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[key, value]],
    );
    const own = { type, id, parentId: this.#leafId };
    const timestamp = this.#now().toISOString();
    // Own fields again: one given under their name would make another entry of it.
    const entry: SessionEntry = { ...own, timestamp, ...Object.fromEntries(given), ...own };
    // First: an entry that could not be written is not the parent of the next.
    if (this.path !== undefined) this.#write(this.path, entry);
    this.#tree.add(entry);
    this.#leafId = id;
    return id;
  }

  #write(path: string, entry: SessionEntry): void {
    if (this.#isOlder) {
      rewriteLog(path, this.#text([...this.entries, entry]));
      this.#isOlder = false;
    } else {
      const isTerminated = this.#isTerminated;
      // A full disk leaves half a line.
      this.#isTerminated = false;
      appendRecord(path, entry, isTerminated);
    }
    this.#isTerminated = true;
  }

  /** The whole file, as version 3. */
  #text(entries: readonly SessionEntry[] = this.entries): string {
    const { title = "", updatedAt = this.#now().toISOString(), source } = this.#slot ?? {};
    const by = typeof source === "string" ? source : undefined;
    const slot = this.#slot ? lineOf(titleSlot(String(updatedAt), String(title), by)) : "";
    if (this.#slot) this.#slot = { ...this.#slot, v: 1 };
    const records = [{ ...this.header, version: 3 }, ...entries];
    // The last of the entries is the leaf; lines that are not entries do not count.
    return [slot, ...records.map(lineOf), ...this.#others].join("");
  }
}

type SessionFileInit = {
  readonly options: SessionFileOptions;
  readonly path: string | undefined;
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly slot: JsonObject | undefined;
  readonly malformedLines?: readonly number[];
  readonly others?: readonly string[];
  readonly isTerminated?: boolean;
};

/** Eight characters that no other entry has. */
function newId(isTaken: (id: string) => boolean): string {
  let id = randomUUID().slice(-8);
  while (isTaken(id)) id = randomUUID().slice(-8);
  return id;
}
