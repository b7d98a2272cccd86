import type { Message } from "@pond/canonical";
import { stringifyJson } from "@pond/canonical";
import {
  inPieces,
  type Lineage,
  type RestoredFile,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { projectSlug } from "./layout.ts";
import { restoreRecord } from "./records/record.ts";
import { restoreSidecar } from "./records/sidecar.ts";

/** Sessions of this client as their files were, record by record (`adapter-native-restore-lossless`). */
export function* writeNative({ root, descendants }: Lineage): Generator<RestoredFile> {
  for (const content of [root, ...descendants]) {
    const { session, messages } = content;
    const path = pathOf(content);
    const log = messages.filter((message) => restoreSidecar(message) === undefined);
    yield { session: session.id, path: `projects/${path}`, content: inPieces(() => lines(log)) };
    const [slug = ""] = path.split("/");
    for (const message of messages) {
      const sidecar = restoreSidecar(message);
      if (sidecar === undefined) continue;
      const file = `projects/${slug}/${sidecar.path}`;
      yield { session: session.id, path: file, content: [sidecar.bytes] };
    }
  }
}

function pathOf({ session }: SessionContent): string {
  const { path } = sourceOf(session);
  return typeof path === "string" ? path : `${projectSlug(session.project)}/${session.id}.jsonl`;
}

function* lines(messages: readonly Message[]): Generator<string> {
  const second = new Map<unknown, Message>();
  for (const message of messages) {
    const { continues } = sourceOf(message);
    if (continues !== undefined) second.set(continues, message);
  }
  for (const message of messages) {
    if (sourceOf(message)["continues"] !== undefined) continue;
    const rest = second.get(message.id);
    const record = restoreRecord(rest ? [message, rest] : [message]);
    if (record !== undefined) yield `${stringifyJson(record)}\n`;
  }
}
