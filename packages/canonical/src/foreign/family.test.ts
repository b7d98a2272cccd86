import { expect, it } from "vitest";
import { sessionFromWire } from "../index.ts";
import type { SessionContent } from "../seam/codec.ts";
import { familyOf } from "./family.ts";

const content = (id: string, more: object = {}): SessionContent => ({
  session: sessionFromWire({
    id,
    source_agent: "loom",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/home/ada",
    options: {},
    ...more,
  }),
  messages: [],
});

it("distinguishes sub-agents, forks and circular parents", () => {
  const root = content("root");
  const descendants = [
    content("agent", { parent_session_id: "root" }),
    content("deeper", { parent_session_id: "agent" }),
    content("cut", { parent_session_id: "root", parent_message_id: "m" }),
    content("fork", { parent_session_id: "root", options: { source: { relation: "fork" } } }),
    content("of-fork", { parent_session_id: "fork" }),
    content("lost", { parent_session_id: "elsewhere" }),
    content("a", { parent_session_id: "b" }),
    content("b", { parent_session_id: "a" }),
  ];
  const family = familyOf({ root, descendants });
  const found = [root, ...descendants].map(({ session }) => {
    return [session.id, family.parentOf(session)?.id, family.mainOf(session).id];
  });

  expect(found).toEqual([
    ["root", undefined, "root"],
    ["agent", "root", "root"],
    ["deeper", "agent", "root"],
    ["cut", undefined, "cut"],
    ["fork", undefined, "fork"],
    ["of-fork", "fork", "fork"],
    ["lost", undefined, "lost"],
    ["a", "b", "a"],
    ["b", "a", "b"],
  ]);
});

it.each([["self"], ["below"]])(
  "treats the root as having no parent if its parent is %s",
  (parent) => {
    const root = content("self", { parent_session_id: parent });
    const below = content("below", { parent_session_id: "self" });
    const family = familyOf({ root, descendants: [below] });
    const found = [root, below].map(({ session }) => {
      return [session.id, family.parentOf(session)?.id, family.mainOf(session).id];
    });

    expect(found).toEqual([
      ["self", undefined, "self"],
      ["below", "self", "self"],
    ]);
  },
);

it("places the root below parent sessions that the client already has", () => {
  const [main, agent] = [content("main"), content("agent", { parent_session_id: "main" })];
  const root = content("root", { parent_session_id: "agent" });
  const fork = content("fork", { parent_session_id: "root", parent_message_id: "m" });
  const parents = [
    { session: agent.session, path: "main/agent" },
    { session: main.session, path: "main" },
  ];
  const family = familyOf({ root, descendants: [fork] }, parents);
  const found = [main, agent, root, fork].map(({ session }) => [
    family.anyParentOf(session)?.id,
    family.parentOf(session)?.id,
    family.mainOf(session).id,
    family.nativePath(session),
  ]);

  expect(found).toEqual([
    [undefined, undefined, "main", "main"],
    ["main", "main", "main", "main/agent"],
    ["agent", "agent", "main", undefined],
    ["root", undefined, "fork", undefined],
  ]);
});
