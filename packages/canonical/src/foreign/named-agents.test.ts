import { expect, it } from "vitest";
import type { JsonValue } from "../json.ts";
import { sessionFromWire } from "../wire.ts";
import { agentNamesOf, agentsNamedIn } from "./named-agents.ts";

const agent = (id: string) => ({
  session: sessionFromWire({
    ...{ id, source_agent: "loom", project: "/home/ada", options: {} },
    created_at: "2026-03-01T09:00:00.000Z",
  }),
  messages: [],
});
const agentLabel = () => "Measurer";

it.each<[string, readonly JsonValue[], boolean]>([
  ["its id", ["a1"], true],
  ["its id deep in a value", [1, [{ of: [null, { it: "Agent a1, done" }] }]], true],
  ["its id in a path", ["/tasks/agent-a1.output"], true],
  ["its id in JSON text", ['{"of":"it began\\na1","is":true}'], true],
  ["its id after longer words", ["a12, ba1, then a1"], true],
  ["longer words that contain its id", ["a12 ba1 a1_ éa1 a1б"], false],
  ["a field named like its id", [{ a1: true }], false],
  ["its label", [{ name: "Measurer" }], true],
  ["its label within a longer text", ["Ask Measurer", "Measurer-2"], false],
  ["nothing", [], false],
])("tells whether an agent is named by %s", (_, values, isNamed) => {
  const names = agentNamesOf(agent("a1"), { recordRulesOf: () => ({ agentLabel }) });

  expect([...agentsNamedIn(values, [names])]).toEqual(isNamed ? ["a1"] : []);
});

it("distinguishes agents, and takes an empty name for none of them", () => {
  const agentNames = () => ["", "both"];
  const [own, other] = [
    agentNamesOf(agent("a1"), {}),
    agentNamesOf(agent("b1"), { recordRulesOf: () => ({ agentNames }) }),
  ];

  expect([...agentsNamedIn(["", "a1"], [own, other])]).toEqual(["a1"]);
  expect([...agentsNamedIn(["both", "a1"], [own, other])].sort()).toEqual(["a1", "b1"]);
});
