import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { type JsonObject, parseJson, stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { phiCoreProblems } from "./problems.ts";
import { writeForeign } from "./write-foreign.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/phi-core/", import.meta.url));
const written = restoredFiles(writeForeign(sampleLineage(), {}));
const [[path = "", bytes = new Uint8Array()] = []] = [...written];
const text = Buffer.from(bytes).toString();

function problemsOf(changed: string): readonly string[] {
  return phiCoreProblems(new Map([[path, Buffer.from(changed)]])).map((problem) =>
    problem.slice(path.length + 2),
  );
}

it("finds nothing wrong with the files that pond writes", () => {
  expect(phiCoreProblems(written)).toEqual([]);
});

it("finds nothing wrong with the files that the library wrote", () => {
  const paths = globSync(
    "{variants,chat,parallel,compaction,sub-agents,anomalies,fields-*}/input/*.json",
    {
      cwd: fixtures,
    },
  );
  const files = paths.map((each) => [basename(each), readFileSync(join(fixtures, each))] as const);

  expect(files.length).toBeGreaterThan(9);
  expect(phiCoreProblems(new Map(files))).toEqual([]);
});

const variants = readFileSync(
  join(fixtures, "variants/input/5e551000-0000-4000-8000-000000000801.json"),
  "utf8",
);

it.each<[string, string, string, string]>([
  [
    "an unknown thinking level",
    '"thinking_level": "minimal"',
    '"thinking_level": "most"',
    "loops[0].config.thinking_level is none that the library knows",
  ],
  [
    "a context window beyond 32 bits",
    '"context_window": 200000',
    '"context_window": 4294967296',
    "loops[0].config.context_window is no whole number",
  ],
  [
    "an index with a fraction",
    '"selected_config_index": 0',
    '"selected_config_index": 0.5',
    "loops[1].events[5].event.selected_config_index is no whole number",
  ],
  [
    "a sequence number beyond 64 bits",
    '"sequence": 0',
    '"sequence": 18446744073709551616',
    "loops[1].events[0].sequence is no whole number",
  ],
  [
    "an unknown trigger",
    '"FollowUp"',
    '"Whim"',
    "loops[1].turns[1].triggered_by is none that the library knows",
  ],
  [
    "an unknown continuation kind",
    '"Rerun"',
    '"Redo"',
    "loops[1].continuation_kind is none that the library knows",
  ],
  [
    "a continuation kind without its tag",
    '"tag": "2026-05-20T09:00:20Z"',
    '"tags": ""',
    "loops[1].continuation_kind.Rerun.tag is missing",
  ],
  [
    "an unknown type of event",
    '"ParallelLoopEnd"',
    '"ParallelLoopStop"',
    "loops[1].events[5].event.type is none that the library knows",
  ],
  [
    "an unknown kind of stream delta",
    '"Thinking":',
    '"Musing":',
    "loops[1].events[0].event.delta is none that the library knows",
  ],
  [
    "a negative turn number in a compaction",
    '"endTurn": 3',
    '"endTurn": -3',
    "loops[4].compaction_block.keep_recent.range.endTurn is no whole number",
  ],
  [
    "an unknown role in a request",
    '"role": "tool-call-request"',
    '"role": "tool"',
    "loops[5].events[0].event.payload.provenance[3].role is none that the library knows",
  ],
  [
    "an unknown category of an event",
    '"step-summary"',
    '"mishap"',
    "loops[5].events[1].event.category is none that the library knows",
  ],
  [
    "a text that is no time",
    '"formation": {',
    '"formation": {"Explicit":{"timestamp":"today"}}, "x": {',
    "formation.Explicit.timestamp is no time",
  ],
])("reports a value that the library would refuse: %s", (_, from, to, problem) => {
  const changed = variants.replace(from, to);

  expect(changed).not.toBe(variants);
  const name = "5e551000-0000-4000-8000-000000000801.json";
  expect(phiCoreProblems(new Map([[name, Buffer.from(changed)]]))).toContain(`${name}: ${problem}`);
});

it("ignores a malformed `turnId` of a message, as the library does", () => {
  const changed = variants.replaceAll('"turnIndex": 0', '"turnIndex": "none"');
  const name = "5e551000-0000-4000-8000-000000000801.json";

  expect(changed).not.toBe(variants);
  expect(phiCoreProblems(new Map([[name, Buffer.from(changed)]]))).toEqual(
    ["loops[1].turns[0].turn_id.turnIndex is no whole number"].map((each) => `${name}: ${each}`),
  );
});

it.each<[string, (json: string) => string, string]>([
  ["a file without its first character", (json) => json.slice(1), "the file is no JSON"],
  ["a list in place of an object", () => "[]", "the file is no object"],
  [
    "a lone surrogate",
    (json) => json.replace('"scope":', '"x":"\\uD83E","scope":'),
    "the file holds a lone surrogate",
  ],
  [
    "a session id other than the file name",
    (json) => json.replace(/"session_id":"[^"]+"/, '"session_id":"x"'),
    "session_id is not the name of the file",
  ],
  [
    "a missing time",
    (json) => json.replace(/"last_active_at":"[^"]+",/, ""),
    "last_active_at is missing",
  ],
  [
    "an unknown formation",
    (json) => json.replace('"Explicit"', '"Sudden"'),
    "formation is none that the library knows",
  ],
  [
    "an unknown loop status",
    (json) => json.replace('"Completed"', '"Finished"'),
    "loops[0].status is none that the library knows",
  ],
  [
    "an unknown continuation kind",
    (json) => json.replace('"Initial"', '"First"'),
    "loops[0].continuation_kind is none that the library knows",
  ],
  [
    "a negative token count",
    (json) => json.replace('"input":0', '"input":-1'),
    "loops[0].messages[3].usage.input is no whole number",
  ],
  [
    "an unknown stop reason",
    (json) => json.replace('"stopReason":"toolUse"', '"stopReason":"tired"'),
    "loops[0].messages[3].stopReason is none that the library knows",
  ],
  [
    "an unknown content block",
    (json) => json.replace('"type":"image"', '"type":"film"'),
    "loops[0].messages[2].content[1].type is none that the library knows",
  ],
  [
    "a tool result without a call",
    (json) => json.replace('"toolCallId":"call-1"', '"toolCallId":"x"'),
    "loops[0].messages[4] answers no open call",
  ],
  [
    "tool arguments that are not an object",
    (json) => json.replace('"arguments":{"path":"heddle.txt"}', '"arguments":"x"'),
    "loops[0].messages[3].content[2].arguments is no object",
  ],
])("reports a problem in a session file: %s", (_, change, problem) => {
  const changed = change(text);

  expect(changed).not.toBe(text);
  expect(problemsOf(changed)).toContain(problem);
});

it("writes a sub-agent and its parent session so that each names the other", () => {
  const documents = [...written.values()].map(
    (each) => parseJson(Buffer.from(each).toString()) as JsonObject,
  );
  const [root, child] = documents;

  expect(child?.["parent_spawn_ref"]).toMatchObject({ parent_session_id: root?.["session_id"] });
  expect(stringifyJson(root?.["loops"] ?? null)).toContain(
    `"child_session_id":${stringifyJson(child?.["session_id"] ?? null)}`,
  );
});
