import type { SessionStore } from "@pond/sessions";
import { AmbiguousIdError, NothingStoredError, UsageError } from "./errors.ts";
import { isResultNumber, numberedSession } from "./last-search.ts";
import type { Settings } from "./settings.ts";
import { ellipsis } from "./short-ids.ts";

const maxCandidatesShown = 10;

type SessionTable = ReturnType<SessionStore["store"]["table"]>;

/**
 * Resolves what was typed to one session: by its full id, by its number in the last search, or by
 * the beginning of its id; `c5e1b000…6581` means one with that beginning and that end. If a session
 * and its own sub-agents fit, whose ids continue its own, it is the session. One or two digits are
 * a number, not a beginning.
 *
 * @throws {SessionNotFoundError} if there is none; {NothingStoredError} if `typed` is a number.
 * @throws {AmbiguousIdError} if there are several; the message lists them.
 */
export async function resolveSessionId(
  settings: Settings,
  sessions: SessionStore,
  typed: string,
): Promise<string> {
  if (typed === "") throw new UsageError("the session id is empty");
  const { eq } = await import("@pond/substrate");
  const table = sessions.store.table("sessions");
  const exact = await table.count(eq("id", typed));
  if (exact > 0) return typed;
  const numbered = await numberedSession(settings, typed);
  if (numbered !== undefined) return numbered;

  if (/^\d{1,2}$/.test(typed)) {
    throw new NothingStoredError(
      `the last search here has no number ${typed}; to name a session by its id, type more of it`,
      { sessionId: typed },
    );
  }

  const ids = await matchingIds(table, typed);
  const [first, ...others] = ids;
  if (first === undefined && isResultNumber(typed)) {
    throw new NothingStoredError(
      `the last search here has no number ${typed}, and no session's id begins with it`,
      { sessionId: typed },
    );
  }
  if (first === undefined) {
    const { SessionNotFoundError } = await import("@pond/sessions");
    throw new SessionNotFoundError(typed);
  }
  if (others.every((id) => id.startsWith(`${first}/`))) return first;
  throw ambiguousIdError("sessions", typed, ids);
}

/** The fitting ids, sorted. If none fits as typed, another case is tried: hex digits have none. */
async function matchingIds(table: SessionTable, typed: string): Promise<string[]> {
  const ids = await idsWithEnds(table, typed);
  if (ids.length > 0 || !/^[\da-f…-]+$/i.test(typed)) return ids;
  const cases = new Set([typed.toLowerCase(), typed.toUpperCase()]);
  const found = await Promise.all([...cases].map((each) => idsWithEnds(table, each)));
  return found.flat().sort();
}

async function idsWithEnds(table: SessionTable, typed: string): Promise<string[]> {
  const { prefix } = await import("@pond/substrate");
  const [begin = "", end = ""] = typed.split(ellipsis, 2);
  const rows = await table.rows({ columns: ["id"], where: prefix("id", begin) });
  return rows
    .map((row) => String(row["id"]))
    .filter((id) => id.endsWith(end) && id.length >= begin.length + end.length)
    .sort();
}

/**
 * The id of the one message of a session whose id is `typed` or begins with it; `typed` itself if
 * there is none, for the error of the code that looks it up.
 *
 * @throws {AmbiguousIdError} if there are several.
 */
export async function resolveMessageId(
  sessions: SessionStore,
  sessionId: string,
  typed: string,
): Promise<string> {
  const { and, eq, isNull, prefix } = await import("@pond/substrate");
  const where = and(eq("session_id", sessionId), isNull("revises"), prefix("id", typed));
  const rows = await sessions.store.table("messages").rows({ columns: ["id"], where });
  const ids = rows.map((row) => String(row["id"])).sort();
  if (ids.includes(typed)) return typed;
  const [only] = ids;
  if (ids.length < 2) return only ?? typed;
  throw ambiguousIdError("messages", typed, ids);
}

function ambiguousIdError(what: string, typed: string, ids: readonly string[]): AmbiguousIdError {
  const listed = ids.slice(0, maxCandidatesShown).map((id) => `\n  ${id}`);
  const more = ids.length > listed.length ? `\n  and ${ids.length - listed.length} more` : "";
  return new AmbiguousIdError(
    `${ids.length} ${what} begin with "${typed}"; type more of the one you mean:${listed.join("")}${more}`,
    { typed, candidates: ids.slice(0, maxCandidatesShown), count: ids.length },
  );
}
