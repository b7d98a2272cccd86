import {
  isJsonObject,
  type JsonObject,
  type Message,
  type Session,
  stringifyJson,
} from "@pond/canonical";
import {
  type Lineage,
  objectOf,
  type RestoredFile,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { copyUuid } from "@pond/canonical/foreign";
import { inFileOrder } from "./loop-order.ts";
import { origin } from "./origin.ts";
import { restoreMessage } from "./restore-message.ts";

/** Writes sessions of phi-core as their files were (`adapter-native-restore-lossless`). */
export function* writeNative({ root, descendants }: Lineage): Generator<RestoredFile> {
  for (const content of [root, ...descendants]) {
    const { session } = content;
    const text = { [Symbol.iterator]: () => [stringifyJson(documentOf(content))].values() };
    yield { session: session.id, path: fileOf(session), content: text };
  }
}

/** The file's own name, unless it cannot be used: sessions are side by side in one folder. */
function fileOf(session: Session): string {
  const { path } = sourceOf(session);
  const isName = typeof path === "string" && /^[^/\\\0:]+\.json$/.test(path);
  return isName ? path : `${copyUuid(origin, session.id)}.json`;
}

type WrittenLoop = {
  readonly record: JsonObject;
  readonly place: number | undefined;
  readonly messages: JsonObject[] | undefined;
};

function documentOf({ session, messages }: SessionContent): JsonObject {
  const head = messages.find((message) => sourceOf(message)["head"] === true);
  const loops = new Map<string, WrittenLoop>();
  for (const message of messages) {
    const source = sourceOf(message);
    const { loop, record, place } = source;
    if (typeof loop !== "string") continue;
    if (isLoop(message)) {
      loops.set(loop, {
        record: objectOf(record),
        place: typeof place === "number" ? place : undefined,
        messages: source["messages"] === true ? [] : undefined,
      });
    } else if (source["derived"] !== true) loops.get(loop)?.messages?.push(restoreMessage(message));
  }
  return {
    ...(head && objectOf(sourceOf(head)["record"])),
    session_id: session.id,
    loops: inFileOrder([...loops.values()]).map(({ record, messages }) =>
      messages === undefined ? record : { ...record, messages },
    ),
  };
}

/** True for the message that stands for a loop itself. */
function isLoop(message: Message): boolean {
  const { loop, record } = sourceOf(message);
  return message.id === `loop:${String(loop)}` && isJsonObject(record);
}
