import { SessionNotFoundError, type SessionStore } from "@pond/sessions";
import { prefix } from "@pond/substrate";
import { WireError } from "@pond/wire";

/**
 * The shortest id that the command line shows. Anything shorter is no beginning that somebody was
 * given.
 */
const leastLength = 4;
const most = 5;
/**
 * How many are read to find those that can be told, because every id of a client may begin that
 * way.
 */
const mostRead = 50;
// An error is not marked as data for a model, so an id that could be more than a name is left out.
const plainId = /^[\w./-]{1,128}$/;

/**
 * The error for an unknown session, with the ids that begin with what was asked for: `pond list`
 * shows short ones, and people pass these on to their agents.
 */
export async function withBegunIds(
  error: unknown,
  sessions: SessionStore,
  id: string,
): Promise<unknown> {
  if (!(error instanceof SessionNotFoundError) || id.length < leastLength) return error;
  const table = sessions.store.table("sessions");
  const where = prefix("id", id);
  const orderBy = [{ column: "id" }];
  const rows = await table.rows({ columns: ["id"], where, orderBy, limit: mostRead });
  const begun = rows.map((row) => String(row["id"])).filter((each) => plainId.test(each));
  if (begun.length === 0) return error;
  const shown = begun.slice(0, most);
  const count = rows.length < mostRead ? begun.length : await table.count(where);
  const more = count > shown.length ? ` and ${count - shown.length} more` : "";
  return new WireError(
    "not_found",
    `${error.message}; ids are given whole: ${shown.join(", ")}${more}`,
    { session_id: id, candidates: shown, count },
    { cause: error },
  );
}
