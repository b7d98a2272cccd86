import {
  type Message,
  messageFromWire,
  messageOf,
  partsOf,
  sessionFromWire,
} from "@pond/canonical";
import type { Course, Meanings, SessionContent } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { withoutUndoneAgents } from "./undone-agents.ts";

const time = (second: number): string => new Date(second * 1000).toISOString();

/** Each message says one text for each part, at a second of its own. */
function content(
  id: string,
  second: number,
  says: readonly (readonly string[])[],
  above: { readonly parent?: string; readonly source?: Record<string, string> } = {},
): SessionContent {
  const { parent, source = {} } = above;
  const session = sessionFromWire({
    ...{ id, source_agent: "demo", project: "/work", created_at: time(second) },
    ...(parent !== undefined && { parent_session_id: parent }),
    options: { source },
  });
  const messages = says.map((texts, index) => {
    const place = { session_id: id, message_id: `${index}`, options: {} };
    const parts = texts.map((text, at) => ({
      ...{ ...place, id: `${at}`, type: "text", provenance: "conversational", text },
    }));
    const own = { id: `${index}`, session_id: id, timestamp: time(second + index) };
    return messageFromWire({ ...own, role: "user", content: parts, options: {} });
  });
  return { session, messages };
}

/** What says "undone" is; of a message only the parts that do. */
function course({ messages }: SessionContent): Course {
  const pieces = (isUndone: boolean): Message[] =>
    messages.flatMap((message) => {
      const parts = partsOf(message).filter(
        (part) => part.type === "text" && part.text.startsWith("undone") === isUndone,
      );
      return parts.length === 0 ? [] : [messageOf(message, parts)];
    });
  return { live: pieces(false), undone: pieces(true) };
}

const meanings: Meanings = {
  recordRulesOf: () => ({
    course,
    agentNames: ({ session: { id } }) => [id.replace("agent ", "#"), `call of ${id}`],
  }),
};

function remaining(root: SessionContent, ...descendants: readonly SessionContent[]) {
  const { lineage, leftOut } = withoutUndoneAgents({ root, descendants }, meanings);
  return {
    kept: lineage.descendants.map(({ session }) => session.id),
    lost: [...leftOut].map(([id, messages]) => [id, messages.length]),
  };
}

const agent = (id: string, parent: string, second: number, ...says: string[]): SessionContent =>
  content(
    `agent ${id}`,
    second,
    says.map((said) => [said]),
    { parent },
  );

it("leaves out agents that were first named in undone turns, and the agents below them", () => {
  const root = content("s", 0, [["hello"], ["undone #a"], ["undone"], ["#b"], ["undone #b"]]);

  const found = remaining(
    root,
    agent("a", "s", 2, "one", "two"),
    agent("b", "s", 3, "three"),
    agent("c", "agent a", 2, "four"),
    agent("d", "agent c", 2, "five"),
    agent("e", "agent b", 3, "six"),
  );

  expect(found).toEqual({ kept: ["agent b", "agent e"], lost: [["s", 4]] });
});

it.each<[string, (readonly string[])[], number]>([
  ["no message names", [["undone"]], 2],
  ["was named before the undone turn", [["#a"], ["undone #a"]], 2],
  ["began before the undone turn", [["hello"], ["undone #a"]], 0],
  ["the kept part of a half-undone message names", [["#a", "undone #a"]], 2],
  ["was called before the undone turn", [["call of agent a"], ["undone #a"]], 2],
  ["only the beginning of a word names", [["hello"], ["undone #a1"]], 2],
  ["was named when nothing was undone", [["#a"], ["hello"]], 2],
])("keeps an agent that %s", (_, says, second) => {
  expect(remaining(content("s", 0, says), agent("a", "s", second, "one"))).toEqual({
    kept: ["agent a"],
    lost: [],
  });
});

it("leaves out an agent whose label occurs only in an undone message", () => {
  const root = content("s", 0, [["hello"], ["undone agent a"], ["ask agent b"]]);
  const agentLabel = ({ session }: SessionContent) => `undone ${session.id}`;
  const rules = { recordRulesOf: () => ({ course, agentLabel, agentNames: () => [] }) };
  const descendants = [agent("a", "s", 2, "one"), agent("b", "s", 3, "two")];

  const { lineage } = withoutUndoneAgents({ root, descendants }, rules);

  expect(lineage.descendants.map(({ session }) => session.id)).toEqual(["agent b"]);
});

it("leaves out an agent that only the undone half of a message names", () => {
  const root = content("s", 0, [["hello", "undone #a"]]);

  expect(remaining(root, agent("a", "s", 2, "one"))).toEqual({ kept: [], lost: [["s", 1]] });
});

it("keeps forks of the session and of an agent that is left out", () => {
  const fork = (parent: string) =>
    content(`fork of ${parent}`, 3, [["on"]], { parent, source: { relation: "fork" } });
  const root = content("s", 0, [["hello"], ["undone #a, fork of s"]]);

  const found = remaining(root, agent("a", "s", 2, "one"), fork("s"), fork("agent a"));

  expect(found).toEqual({ kept: ["fork of s", "fork of agent a"], lost: [["s", 1]] });
});
