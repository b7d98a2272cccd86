import { type ReadEvent, sessionFromWire } from "@pond/canonical";
import { copyUuid } from "@pond/canonical/foreign";
import { expect, it } from "vitest";
import { type DemoSession, ingestDemo, said, withStore } from "../testing.ts";
import { doubledFor } from "./doubled.ts";

const copy = copyUuid("demo", "s");
const demos = (...later: readonly string[]): readonly DemoSession[] => [
  { id: "s", agent: "other", messages: [said("a")] },
  { id: "agent", agent: "other", parent: "s", messages: [said("b")] },
  { id: "elsewhere", agent: "third", parent: "s", messages: [said("c")] },
  { id: copy, messages: [said("a"), ...later.map((id) => ({ ...said(id), seconds: 60 }))] },
  { id: "copied agent", parent: copy, messages: [said("b")] },
  { id: "own", messages: [said("d")] },
];

const forkOf = (parent_session_id: string, source_agent: string): readonly ReadEvent[] => {
  const fields = { id: `fork of ${source_agent}`, parent_session_id, source_agent, project: "/w" };
  const options = { source: { relation: "fork" } };
  const created_at = "2026-01-01T00:00:00Z";
  return [{ kind: "session", session: sessionFromWire({ ...fields, created_at, options }) }];
};

it.each([
  ["the copy that nobody went on in", [], [copy, "copied agent"]],
  ["what was copied, where somebody went on in the copy", ["e"], ["s", "agent"]],
])("names %s, with its sub-agents and without its forks", (_, later, expected) =>
  withStore(async (sessions) => {
    const forks = [forkOf("s", "other"), forkOf(copy, "demo")];
    await ingestDemo(sessions, [...demos(...later), ...forks]);

    expect([...(await doubledFor(sessions, "demo"))].toSorted()).toEqual(expected.toSorted());
    expect(await doubledFor(sessions, "other")).toEqual(new Set());
  }),
);
