import { stat } from "node:fs/promises";
import {
  type PartEvent,
  partFromWire,
  partToWire,
  type ReadEvent,
  SourceFault,
} from "@pond/canonical";
import type { Reader } from "@pond/canonical/adapter";
import { fromDemo } from "../demo/from-demo.ts";

// The demo adapter, broken in one way each: the suite has to catch every one.

/** What a broken reader makes of the events of a correct one. */
export type Change = (events: AsyncIterable<ReadEvent>, folder: string) => AsyncIterable<ReadEvent>;

export function changed(folder: string, change: Change): Reader {
  const inner = fromDemo(folder);
  return { ...inner, read: (key) => change(inner.read(key), folder) };
}

export const forgetsOptions: Change = each((event) =>
  event.kind === "message" ? [{ ...event, message: { ...event.message, options: {} } }] : [event],
);

export function countsIds(): Change {
  let count = 0;
  return each((event) => (event.kind === "part" ? [withId(event, String(count++))] : [event]));
}

export const idsFromPath: Change = each((event, folder) =>
  event.kind === "part" ? [withId(event, `${folder}/${event.part.id}`)] : [event],
);

export const reversed: Change = async function* (events) {
  yield* (await Array.fromAsync(events)).reverse();
};

export const doubled: Change = each((event) => [event, event]);

export const withoutFaults: Change = each((event) => (event.kind === "fault" ? [] : [event]));

export const misplacesFaults: Change = each((event) => {
  if (event.kind !== "fault") return [event];
  const { reason, ...at } = event.fault.details;
  return [{ kind: "fault", fault: new SourceFault({ ...at, record: 1 }, reason) }];
});

export const reportsPendingAsFault: Change = each((event) => {
  if (event.kind !== "pending") return [event];
  const at = { adapter: "demo", uri: event.location, record: 1 };
  return [{ kind: "fault", fault: new SourceFault(at, event.reason) }];
});

export const stopsAtFault: Change = async function* (events) {
  for await (const event of events) {
    yield event;
    if (event.kind === "fault") return;
  }
};

/** Cuts its stream where a first chunk of 64 KiB ends. */
export function oneChunk(folder: string): Reader {
  const inner = fromDemo(folder);
  return {
    ...inner,
    read: async function* (key) {
      const { size } = await stat(`${folder}/${key}`);
      for await (const event of inner.read(key)) {
        if (size <= 1 << 16 || event.kind === "session") yield event;
      }
    },
  };
}

export function sameFingerprint(folder: string): Reader {
  return { ...fromDemo(folder), fingerprint: async () => "the same" };
}

/** Opens a folder, and nothing else. */
export function onlyFolders(path: string): Reader {
  const inner = fromDemo(path);
  async function* none(): AsyncGenerator<never> {}
  return path.endsWith(".jsonl") ? { ...inner, sessions: none } : inner;
}

/** Takes files of equal size for equal. */
export function sizeFingerprint(folder: string): Reader {
  const inner = fromDemo(folder);
  const fingerprint = async (key: string): Promise<string | undefined> =>
    (await inner.fingerprint(key))?.split(" ")[0];
  const sessions = async function* (): ReturnType<Reader["sessions"]> {
    for await (const found of inner.sessions()) {
      const size = found.kind === "source" && (await fingerprint(found.key));
      yield size ? { ...found, fingerprint: size } : found;
    }
  };
  return { ...inner, sessions, fingerprint };
}

/** Each event becomes what `change` returns for it. */
export function each(change: (event: ReadEvent, folder: string) => readonly ReadEvent[]): Change {
  return async function* (events, folder) {
    for await (const event of events) yield* change(event, folder);
  };
}

export function withId({ part }: PartEvent, id: string): PartEvent {
  return { kind: "part", part: partFromWire({ ...partToWire(part), id }) };
}
