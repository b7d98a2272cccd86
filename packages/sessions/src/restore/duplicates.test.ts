import { type ReadEvent, sessionFromWire } from "@pond/canonical";
import { copyUuid } from "@pond/canonical/foreign";
import { expect, it } from "vitest";
import { type DemoSession, ingestDemo, said, withStore } from "../testing.ts";
import { duplicatesFor } from "./duplicates.ts";

const copy = copyUuid("demo", "s");
const copiedAgent = copyUuid("demo", "agent");
const inThird = copyUuid("third", "s");
const demos = (...later: readonly string[]): readonly DemoSession[] => [
  { id: "s", agent: "other", messages: [said("a")] },
  { id: "agent", agent: "other", parent: "s", messages: [said("b")] },
  { id: "later agent", agent: "other", parent: "s", messages: [said("f")], seconds: 5 },
  { id: "elsewhere", agent: "third", parent: "s", messages: [said("c")] },
  { id: copy, messages: [said("a"), ...later.map((id) => ({ ...said(id), seconds: 60 }))] },
  { id: copiedAgent, parent: copy, messages: [said("b")] },
  { id: "named otherwise", parent: copy, messages: [said("b")] },
  { id: inThird, agent: "third", messages: [said("a")] },
  { id: "own", messages: [said("d")] },
];

const forkOf = (parent_session_id: string, source_agent: string): readonly ReadEvent[] => {
  const fields = { id: `fork of ${source_agent}`, parent_session_id, source_agent, project: "/w" };
  const options = { source: { relation: "fork" } };
  const created_at = "2026-01-01T00:00:00Z";
  return [{ kind: "session", session: sessionFromWire({ ...fields, created_at, options }) }];
};

const all = [copy, copiedAgent, "named otherwise"];
const none: readonly string[] = [];
it.each([
  ["nobody continued the copy", "demo", [], [...all, inThird], none],
  ["somebody continued the copy", "demo", ["e"], [inThird], ["s", "agent"]],
  ["nobody continued another client's copy", "other", [], [...all, inThird], none],
  ["somebody continued another client's copy", "other", ["e"], [copiedAgent, inThird], none],
])("leaves out duplicates when %s, for client %s", (_, client, later, copies, originals) =>
  withStore(async (sessions) => {
    const forks = [forkOf("s", "other"), forkOf(copy, "demo")];
    await ingestDemo(sessions, [...demos(...later), ...forks]);

    const duplicates = await duplicatesFor(sessions, client);

    expect([...duplicates.copies].toSorted()).toEqual(copies.toSorted());
    expect([...duplicates.originals].toSorted()).toEqual(originals.toSorted());
  }),
);

it.each([
  ["the client that it was put into", "demo", [], [], ["s"]],
  ["the client that it comes from", "other", [], ["demo:s"], none],
  ["a third client", "third", [], ["demo:s"], none],
  ["a client that has another session of that id", "demo", ["e"], [], none],
])("gives a session in two clients' folders once to %s", (_, client, later, copies, originals) =>
  withStore(async (sessions) => {
    const messages = [said("a"), ...later.map((id) => ({ ...said(id), seconds: 60 }))];
    await ingestDemo(sessions, [
      { id: "s", agent: "other", messages: [said("a")] },
      { id: "demo:s", messages },
    ]);

    const duplicates = await duplicatesFor(sessions, client);

    expect([...duplicates.copies]).toEqual(copies);
    expect([...duplicates.originals]).toEqual(originals);
  }),
);
