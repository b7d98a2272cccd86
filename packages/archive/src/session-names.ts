import { idApart } from "@pond/sessions";
import { renamedRow } from "@pond/sessions/rows";
import type { Row, Store } from "@pond/substrate";

/** Names of sessions in another store, by their ids, where these are another. */
export class SessionNames {
  readonly #names: ReadonlyMap<string, string>;
  /** The ids, by these names. */
  readonly #ids: ReadonlyMap<string, string>;

  constructor(names: ReadonlyMap<string, string> = new Map()) {
    this.#names = names;
    this.#ids = new Map([...names].map(([id, name]) => [name, id]));
  }

  /** True where every session is called by its id. */
  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  /** What a session of that name is called in its own store. */
  idOf(name: string): string {
    return this.#ids.get(name) ?? name;
  }

  /** A row of a table by these names. */
  renamed(table: string, row: Row): Row {
    return this.isEmpty ? row : renamedRow(table, row, (id) => this.nameOf(id));
  }
}

/** A session as far as its name depends on it. */
type Named = { readonly agent: string; readonly createdAt: bigint };

/**
 * What the sessions of one store are called in another, where that has sessions of other clients by
 * the same ids: what a sync would call them there. One that is called so here already may have its
 * own id there.
 */
export async function namesApart(from: Store, to: Store): Promise<SessionNames> {
  const [given, stored] = [await namedSessions(from), await namedSessions(to)];
  const isOf = (sessions: ReadonlyMap<string, Named>, id: string, agent: string): boolean =>
    sessions.get(id)?.agent === agent;
  const nameOf = (id: string, { agent, createdAt }: Named): string => {
    if (isOf(stored, id, agent)) return id;
    const own = id.startsWith(idApart(agent, "")) ? id.slice(idApart(agent, "").length) : id;
    const isBack = isOf(stored, own, agent) && stored.get(own)?.createdAt === createdAt;
    if (isBack && !isOf(given, own, agent)) return own;
    let name = id;
    while ((stored.has(name) && !isOf(stored, name, agent)) || (name !== id && given.has(name))) {
      name = idApart(agent, name);
    }
    return name;
  };
  const names = [...given].map(([id, session]): [string, string] => [id, nameOf(id, session)]);
  return new SessionNames(new Map(names.filter(([id, name]) => id !== name)));
}

async function namedSessions(store: Store): Promise<Map<string, Named>> {
  const sessions = new Map<string, Named>();
  const columns = ["id", "source_agent", "created_at"];
  for await (const rows of store.table("sessions").scan({ columns })) {
    for (const { id, source_agent: agent, created_at: at } of rows) {
      sessions.set(String(id), { agent: String(agent), createdAt: BigInt(at as bigint) });
    }
  }
  return sessions;
}
