import type { Message, Session, SessionId } from "@pond/canonical";
import { stringifyJson } from "@pond/canonical";
import {
  chunkLines,
  KeyOrders,
  type Lineage,
  type RestoredFile,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { agentPrefix, canBeSlug, projectSlug, sessionSuffix } from "./layout.ts";
import { restoreRecord } from "./records/record.ts";
import { restoreSidecar } from "./records/sidecar.ts";
import { isTypedInResult } from "./records/typed-in-result.ts";

/**
 * Writes sessions of this client as their files were, record by record
 * (`adapter-native-restore-lossless`).
 */
export function* writeNative({ root, descendants }: Lineage): Generator<RestoredFile> {
  const sessions = [...placed([root, ...descendants])];
  // As long as an agent has no log, its descriptor belongs to the main session and may stay stored
  // there. The agent's own descriptor counts; as parents come first, it is the last one.
  const owners = new Map(
    sessions.flatMap(({ id, sidecars }) => sidecars.map(({ path }) => [path, id] as const)),
  );
  for (const { id, path, log, sidecars } of sessions) {
    yield { session: id, path, content: chunkLines(() => lines(log)) };
    for (const { path, bytes } of sidecars) {
      if (owners.get(path) === id) yield { session: id, path, content: [bytes] };
    }
  }
}

/** What is written for one session, and where. */
type Placed = {
  readonly id: SessionId;
  readonly path: string;
  readonly log: readonly Message[];
  readonly sidecars: readonly Sidecar[];
};
type Sidecar = { readonly path: string; readonly bytes: Uint8Array };

function* placed(contents: readonly SessionContent[]): Generator<Placed> {
  const folders = new Map<string, string>();
  for (const { session, messages } of contents) {
    const above = folders.get(session.parent_session_id ?? "");
    const { folder, file } = placeOf(session, above);
    folders.set(session.id, folder);
    const at = `projects/${folder}`;
    const log: Message[] = [];
    const sidecars: Sidecar[] = [];
    for (const message of messages) {
      const sidecar = restoreSidecar(message);
      if (sidecar === undefined) log.push(message);
      else sidecars.push({ path: `${at}/${sidecar.path}`, bytes: sidecar.bytes });
    }
    yield { id: session.id, path: `${at}/${file}`, log, sidecars };
  }
}

/**
 * The folder of a session's project, and the path of its log in it. `above` is the folder of its
 * parent.
 */
function placeOf(
  session: Session,
  above: string | undefined,
): { readonly folder: string; readonly file: string } {
  const { path } = sourceOf(session);
  const own = projectSlug(session.project);
  if (typeof path !== "string") return { folder: own, file: `${session.id}${sessionSuffix}` };
  const [folder = "", ...steps] = path.split("/");
  const file = steps.join("/");
  if (canBeSlug(folder, session.project)) return { folder, file };
  // Read from a copy, where the client would not find it. A log with a name of another kind is
  // found nowhere, so it stays.
  const isAgent = steps.at(-1)?.startsWith(agentPrefix) ?? false;
  if (isAgent && above !== undefined) return { folder: above, file };
  return { folder: mainName.test(file) ? own : folder, file };
}

/** The beginning of the path of a main session's log, and of the paths in its folder. */
const mainName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.jsonl$|\/)/i;

function* lines(messages: readonly Message[]): Generator<string> {
  const orders = new KeyOrders();
  const second = new Map<unknown, Message>();
  for (const message of messages) {
    const { continues } = sourceOf(message);
    if (continues !== undefined && !isTypedInResult(message)) second.set(continues, message);
  }
  for (const message of messages) {
    if (sourceOf(message)["continues"] !== undefined) continue;
    const rest = second.get(message.id);
    const record = restoreRecord(rest ? [message, rest] : [message], orders);
    if (record !== undefined) yield `${stringifyJson(record)}\n`;
  }
}
