import { type ReadEvent, sessionFromWire } from "@pond/canonical";
import { copyUuid } from "@pond/canonical/foreign";
import { expect, it } from "vitest";
import {
  type DemoMessage,
  type DemoSession,
  demoEvents,
  ingestDemo,
  said,
  withStore,
} from "../testing.ts";
import { untouchedCopies } from "./copies.ts";

const at = (seconds: number): DemoMessage => ({ ...said(`at ${seconds}`), seconds });

/** The events of a session of another client that was forked. */
const fork = (id: string, parent: string, ...seconds: readonly number[]): readonly ReadEvent[] => {
  const [header, ...rest] = demoEvents({ id, parent, agent: "other", messages: seconds.map(at) });
  if (header?.kind !== "session") throw new Error("a session begins with its header");
  const options = { source: { relation: "fork" } };
  const { parent_session_id, project } = header.session;
  const fields = { id, parent_session_id, project, source_agent: "other", options };
  const session = sessionFromWire({ ...fields, created_at: "2026-01-01T00:00:00Z" });
  return [{ kind: "session", session }, ...rest];
};

it.each([
  ["begins with the messages that the fork was made from", [1, 2, 5], true],
  ["was continued", [1, 5, 9], false],
])("tells whether the copy of a fork is untouched: it %s", (_, seconds, isUntouched) =>
  withStore(async (sessions) => {
    const copy = copyUuid("demo", "fork of fork");
    await ingestDemo(sessions, [
      { id: "s", agent: "other", messages: [at(1), at(2), at(3)] },
      fork("fork", "s", 4),
      fork("fork of fork", "fork", 5),
      { id: copy, messages: seconds.map(at) },
    ]);

    const found = await untouchedCopies(
      sessions.store,
      [{ id: copy, sourceAgent: "demo" }],
      ["s", "fork", "fork of fork"],
    );

    expect([...found]).toEqual(isUntouched ? [[copy, "fork of fork"]] : []);
  }),
);

/** The events of a session that lies in such a file of its client. */
const inFile = (path: string, demo: DemoSession): readonly ReadEvent[] =>
  demoEvents(demo).map((event) =>
    event.kind === "session"
      ? { ...event, session: { ...event.session, options: { source: { path } } } }
      : event,
  );

it.each([
  ["moved, as into an archive", [1, 2], true],
  ["moved after somebody continued it", [1, 2, 9], false],
])("tells whether a copy is untouched that its client has %s", (_, seconds, isUntouched) =>
  withStore(async (sessions) => {
    const copy = copyUuid("demo", "s");
    const own = { id: copy, messages: seconds.map(at) };
    await ingestDemo(sessions, [
      { id: "s", agent: "other", messages: [at(1), at(2)] },
      inFile("sessions/copy", own),
    ]);
    await ingestDemo(sessions, [inFile("archived_sessions/copy", own)]);

    const found = await untouchedCopies(sessions.store, [{ id: copy, sourceAgent: "demo" }], ["s"]);

    expect([...found]).toEqual(isUntouched ? [[copy, "s"]] : []);
  }),
);

it.each([
  ["says the same", [1, 2], true],
  ["was continued", [1, 2, 9], false],
  ["says something else", [4, 5], false],
])("tells whether a session with the id of another client's is its copy: it %s", (_, seconds, is) =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [
      { id: "s", agent: "other", messages: [at(1), at(2)] },
      { id: "demo:s", messages: seconds.map(at) },
    ]);

    const found = await untouchedCopies(
      sessions.store,
      [
        { id: "s", sourceAgent: "other" },
        { id: "demo:s", sourceAgent: "demo" },
      ],
      ["s", "demo:s"],
    );

    expect([...found]).toEqual(is ? [["demo:s", "s"]] : []);
  }),
);
