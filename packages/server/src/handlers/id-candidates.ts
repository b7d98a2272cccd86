import { FilterError } from "@pond/search";
import { SessionNotFoundError, type SessionStore } from "@pond/sessions";
import { prefix } from "@pond/substrate";
import { WireError } from "@pond/wire";

/**
 * The shortest id that the command line shows. Anything shorter is no beginning that somebody was
 * given.
 */
const minLength = 4;
const maxCandidates = 5;
/**
 * How many are read to find those that can be told, because every id of a client may begin that
 * way.
 */
const maxRead = 50;
// An error is not marked as data for a model, so an id that could be more than a name is left out.
const plainId = /^[\w./-]{1,128}$/;

/**
 * The error for an unknown session, with the ids that begin with what was asked for: `pond list`
 * shows short ones, and people pass these on to their agents.
 */
export async function withIdCandidates(
  error: unknown,
  sessions: SessionStore,
  id: string,
): Promise<unknown> {
  const isFilter = error instanceof FilterError && error.details.field === "session";
  if (!isFilter && !(error instanceof SessionNotFoundError)) return error;
  if (id.length < minLength) return error;
  const table = sessions.store.table("sessions");
  const where = prefix("id", id);
  const orderBy = [{ column: "id" }];
  const rows = await table.rows({ columns: ["id"], where, orderBy, limit: maxRead });
  const matching = rows.map((row) => String(row["id"])).filter((each) => plainId.test(each));
  if (matching.length === 0) return error;
  const candidates = matching.slice(0, maxCandidates);
  const count = rows.length < maxRead ? matching.length : await table.count(where);
  const more = count > candidates.length ? ` and ${count - candidates.length} more` : "";
  return new WireError(
    isFilter ? error.code : "not_found",
    `${error.message}; ids are given whole: ${candidates.join(", ")}${more}`,
    { ...(isFilter && error.details), session_id: id, candidates, count },
    { cause: error },
  );
}
