import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { type JsonObject, parseJson, stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { phiCoreProblems } from "./problems.ts";
import { writeForeign } from "./write-foreign.ts";

const written = restoredFiles(writeForeign(sampleLineage(), () => undefined));
const [[path = "", bytes = new Uint8Array()] = []] = [...written];
const text = Buffer.from(bytes).toString();

function problemsOf(changed: string): readonly string[] {
  return phiCoreProblems(new Map([[path, Buffer.from(changed)]])).map((problem) =>
    problem.slice(path.length + 2),
  );
}

it("finds nothing wrong with what pond writes", () => {
  expect(phiCoreProblems(written)).toEqual([]);
});

it.each<[string, (json: string) => string, string]>([
  ["half a file", (json) => json.slice(1), "the file is no JSON"],
  ["a list", () => "[]", "the file is no object"],
  [
    "another name",
    (json) => json.replace(/"session_id":"[^"]+"/, '"session_id":"x"'),
    "session_id is not the name of the file",
  ],
  [
    "a missing time",
    (json) => json.replace(/"last_active_at":"[^"]+",/, ""),
    "session.last_active_at is missing",
  ],
  [
    "an unknown formation",
    (json) => json.replace('"Explicit"', '"Sudden"'),
    "formation is none that the library knows",
  ],
  [
    "an unknown status",
    (json) => json.replace('"Completed"', '"Finished"'),
    "loops[0].status is none that the library knows",
  ],
  [
    "an unknown kind",
    (json) => json.replace('"Initial"', '"First"'),
    "loops[0].continuation_kind is none that the library knows",
  ],
  [
    "a count below nothing",
    (json) => json.replace('"input":0', '"input":-1'),
    "loops[0].messages[3].usage.input is no whole number",
  ],
  [
    "an unknown reason",
    (json) => json.replace('"stopReason":"toolUse"', '"stopReason":"tired"'),
    "loops[0].messages[3].stopReason is none that the library knows",
  ],
  [
    "an unknown block",
    (json) => json.replace('"type":"image"', '"type":"film"'),
    "loops[0].messages[2].content[1] is a block of type film",
  ],
  [
    "an answer to nothing",
    (json) => json.replace('"toolCallId":"call-1"', '"toolCallId":"x"'),
    "loops[0].messages[4] answers no open call",
  ],
  [
    "arguments that are no object",
    (json) => json.replace('"arguments":{"path":"heddle.txt"}', '"arguments":"x"'),
    "loops[0].messages[3].content[2].arguments is no object",
  ],
])("finds %s", (_, change, problem) => {
  const changed = change(text);

  expect(changed).not.toBe(text);
  expect(problemsOf(changed)).toContain(problem);
});

it("links a sub-agent to the loop and the call that spawned it", () => {
  const documents = [...written.values()].map(
    (each) => parseJson(Buffer.from(each).toString()) as JsonObject,
  );
  const [root, child] = documents;

  expect(child?.["parent_spawn_ref"]).toMatchObject({ parent_session_id: root?.["session_id"] });
  expect(stringifyJson(root?.["loops"] ?? null)).toContain(
    `"child_session_id":${stringifyJson(child?.["session_id"] ?? null)}`,
  );
});
