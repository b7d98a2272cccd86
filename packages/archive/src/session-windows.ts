import { windowRowsOf } from "@pond/sessions/rows";
import type { WindowPiece } from "@pond/sessions/search";
import type { Row, Store } from "@pond/substrate";
import { compareText } from "./key-order.ts";

/** A session, and what its windows are made from. */
export type WindowSource = {
  readonly row: Row;
  /** By the id of each copied message row; undefined if the message holds no text for a window. */
  readonly pieces: Map<string, WindowPiece | undefined>;
};

/** The windows of a session, made from what is copied of it, in the order of their keys. */
export async function makeSessionWindows(
  from: Store,
  { row, pieces }: WindowSource,
): Promise<Row[]> {
  const { id, source_agent: sourceAgent, project } = row;
  const labels = {
    sessionId: String(id),
    sourceAgent: String(sourceAgent),
    project: String(project),
  };
  const rows = await windowRowsOf(from, labels, pieces);
  return rows.sort((a, b) => compareText(String(a["id"]), String(b["id"])));
}
