import type { Message, SessionId } from "@pond/canonical";
import type {
  InheritedHistory,
  Lineage,
  Meanings,
  RecordRules,
  SessionContent,
} from "@pond/canonical/adapter";
import type { ReadBudget } from "../read/read-budget.ts";
import type { SessionStore } from "../session-store.ts";
import { type LineageOptions, loadContent, loadLineageWithin, writtenBy } from "./lineage.ts";
import type { LineagePart } from "./lineage-parts.ts";

type BaseOptions = Required<Pick<LineageOptions, "at" | "onDamaged">> & {
  readonly meanings: Meanings;
  readonly budget: ReadBudget;
};

/** A part to restore natively, and which of its sessions are wanted. */
type NativePart = {
  readonly lineage: Lineage;
  /** The sessions of the part, and what they continue. */
  readonly wanted: ReadonlySet<SessionId>;
};

/** What sessions continue that begin in the middle of others (`RecordRules.inherited`). */
export class Bases {
  /** Sessions that continue one that is not stored, or not stored up to that point. */
  readonly incomplete: Set<SessionId> = new Set();
  /** The sessions that each session continues, directly and indirectly. */
  readonly bySession: Map<SessionId, readonly SessionId[]> = new Map();
  readonly #sessions: SessionStore;
  readonly #options: BaseOptions;
  readonly #contents: Map<string, SessionContent>;
  readonly #inherited: Map<SessionId, InheritedHistory> = new Map();

  /** @param lineage - What has been loaded already. */
  constructor(sessions: SessionStore, { root, descendants }: Lineage, options: BaseOptions) {
    this.#sessions = sessions;
    this.#options = options;
    this.#contents = new Map([root, ...descendants].map((each) => [each.session.id, each]));
  }

  /** The session on its own: with the messages that it continues before its own. */
  async withInherited(content: SessionContent): Promise<SessionContent> {
    const { session, messages } = content;
    const { pieces } = await this.#inheritedBy(content);
    const inherited = pieces.flatMap((piece) =>
      piece.messages.map((message) => inheritedMessage(message, session.id)),
    );
    return inherited.length === 0 ? content : { session, messages: [...inherited, ...messages] };
  }

  /**
   * A part with the lineages of what its sessions continue: a client refuses them without it, and
   * writers look at everything that continues a file.
   */
  async withBases({ root, descendants }: LineagePart): Promise<NativePart> {
    const own = [root, ...descendants];
    const wanted = new Map(own.map((content) => [content.session.id, content]));
    for (const content of wanted.values()) {
      for (const id of await this.#basesOf(content)) {
        if (!wanted.has(id)) wanted.set(id, await this.#load(id));
      }
    }
    const members = new Map<SessionId, SessionContent>();
    const bases = [...wanted.values()].slice(own.length).sort(byAge);
    for (const { session } of bases) {
      if (members.has(session.id)) continue;
      const { at, onDamaged, budget } = this.#options;
      const which = { at, onDamaged, isCutByClient: true };
      const lineage = await loadLineageWithin(budget, this.#sessions, session.id, which);
      for (const each of [lineage.root, ...lineage.descendants]) members.set(each.session.id, each);
    }
    for (const content of own) members.set(content.session.id, content);
    const [first = root, ...rest] = members.values();
    return { lineage: { root: first, descendants: rest }, wanted: new Set(wanted.keys()) };
  }

  async #basesOf(content: SessionContent): Promise<readonly SessionId[]> {
    if (this.#rulesOf(content).opensAlone) return [];
    const found = new Set<SessionId>();
    const open = [content];
    for (const each of open) {
      for (const { session } of (await this.#inheritedBy(each)).pieces) {
        if (session.id === content.session.id || found.has(session.id)) continue;
        found.add(session.id);
        open.push(await this.#load(session.id));
      }
    }
    if (found.size > 0) this.bySession.set(content.session.id, [...found]);
    return [...found];
  }

  /** Asked once for each: in a chain of forks, every one continues all above it. */
  async #inheritedBy(content: SessionContent): Promise<InheritedHistory> {
    const { id } = content.session;
    const inherited = this.#inherited.get(id) ?? (await this.#findInherited(content));
    this.#inherited.set(id, inherited);
    return inherited;
  }

  /** Asks for what is missing until everything is known, or no more of it is stored. */
  async #findInherited(content: SessionContent): Promise<InheritedHistory> {
    const { id, source_agent: client } = content.session;
    const { inherited } = this.#rulesOf(content);
    if (inherited === undefined) return { pieces: [] };
    const known: SessionContent[] = [];
    for (;;) {
      const found = inherited(content, known);
      if (found.missing === undefined) return found;
      const next = await this.#firstStored(found.missing, client);
      if (next === undefined) {
        this.incomplete.add(id);
        return found;
      }
      known.push(next, ...this.#basesKnownOf(next));
    }
  }

  /**
   * What a session continues, as far as it was asked for: a session that continues it needs that,
   * too.
   */
  #basesKnownOf({ session }: SessionContent): readonly SessionContent[] {
    const { pieces = [] } = this.#inherited.get(session.id) ?? {};
    const ids = new Set(pieces.map((piece) => piece.session.id));
    return [...ids].flatMap((id) => this.#contents.get(id) ?? []);
  }

  #rulesOf({ session }: SessionContent): RecordRules {
    return this.#options.meanings.recordRulesOf?.(session.source_agent) ?? {};
  }

  async #firstStored(ids: readonly string[], client: string): Promise<SessionContent | undefined> {
    const [nearest = ""] = ids;
    const loaded = this.#contents.get(nearest);
    if (loaded?.session.source_agent === client) return loaded;
    const stored = new Set(await writtenBy(this.#sessions.store, ids, client));
    const id = ids.find((each) => stored.has(each));
    return id === undefined ? undefined : this.#load(id);
  }

  async #load(id: string): Promise<SessionContent> {
    const { store } = this.#sessions;
    const { at, onDamaged, budget } = this.#options;
    const content = this.#contents.get(id) ?? (await loadContent(store, id, at, onDamaged, budget));
    this.#contents.set(id, content);
    return content;
  }
}

/** What others continue is older than they are. */
function byAge({ session: left }: SessionContent, { session: right }: SessionContent): number {
  return left.created_at < right.created_at ? -1 : 1;
}

/** Ids are unique only within one session: in another session they say where they come from. */
function inheritedMessage(message: Message, session: SessionId): Message {
  const id = `${message.session_id}/${message.id}` as Message["id"];
  const place = { id, session_id: session };
  if (message.role === "system") return { ...message, ...place };
  const inPlace = { session_id: session, message_id: id };
  const content = message.content.map((part) => ({ ...part, ...inPlace }));
  return { ...message, ...place, content } as Message;
}
