import { restoredFiles, type SourceFiles, withFolder } from "@pond/adapter-testkit";
import type { JsonObject } from "@pond/canonical";
import type { Adapter, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { readHome } from "./copies.ts";
import { story } from "./story.ts";

/** A session of one client, with a session of another client below it, written for the first. */
export type ForeignChild = {
  readonly parent: SessionContent;
  readonly child: SessionContent;
  readonly native: readonly RestoredFile[];
  /** The child, written together with its parent. */
  readonly below: readonly RestoredFile[];
  /** The child on its own. */
  readonly alone: readonly RestoredFile[];
};

/** The story as the client keeps it, and the sub-agent's session, with the same texts, for it. */
export async function writeForeignChild(
  client: Adapter,
  source: JsonObject,
): Promise<ForeignChild> {
  const { root: storySession, descendants } = story();
  const only = (root: SessionContent) => ({ root, descendants: [] });
  const [parent] = await readFiles(
    client,
    restoredFiles(client.to.writeForeign(only(storySession), {})),
  );
  const [agent] = descendants;
  if (parent === undefined || agent === undefined) throw new Error("the story is told by two");
  const parentLink = { parent_session_id: parent.session.id, options: { source } };
  const child = { session: { ...agent.session, ...parentLink }, messages: storySession.messages };
  const native = [...client.to.writeNative(only(parent))];
  const [{ path } = { path: "" }] = native;
  return {
    parent,
    child,
    native,
    below: [...client.to.writeForeign(only(child), {}, [{ session: parent.session, path }])],
    alone: [...client.to.writeForeign(only(child), {})],
  };
}

/** Every session that a client's reader finds in these files. It must not report any fault. */
export async function readFiles(
  client: Adapter,
  files: SourceFiles,
): Promise<readonly SessionContent[]> {
  const { lineages, complaints } = await withFolder(files, (home) => readHome(client, home));
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
  return lineages.flatMap(({ root, descendants }) => [root, ...descendants]);
}
