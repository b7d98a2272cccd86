import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "../json.ts";
import { toolVocabulary } from "./tools.ts";

const left = toolVocabulary([
  { name: "Bash", kind: "shell", fields: { command: "command", timeout_ms: "timeout" } },
  { name: "Edit", kind: "edit", fields: { path: "file", old_text: "old", new_text: "new" } },
  { name: "Todo", kind: "todo", fields: { items: "todos" } },
]);
const right = toolVocabulary([
  { name: "exec", kind: "shell", fields: { command: "cmd", directory: "workdir" } },
  { name: "exec_old", kind: "shell", fields: { command: "line" } },
  {
    name: "plan",
    kind: "todo",
    read: () => undefined,
    write: ({ fields }) => ({ name: "plan", params: [fields["items"] ?? null] }),
  },
]);

/** A call of the left client in the right one's words. */
function translated(name: string, params: string): unknown {
  const common = left.read({ name, params: parseJson(params) });
  const call = common && right.write(common);
  return call && [call.name, JSON.parse(stringifyJson(call.params))];
}

describe("a tool vocabulary", () => {
  it.each<[string, string, string, unknown]>([
    ["renames a tool and its parameters", "Bash", '{"command":"ls"}', ["exec", { cmd: "ls" }]],
    [
      "keeps parameters that the other client has no name for",
      "Bash",
      '{"command":"ls","timeout":5,"sandbox":null}',
      ["exec", { cmd: "ls", timeout_ms: 5, sandbox: null }],
    ],
    [
      "renames a parameter whose name is taken",
      "Bash",
      '{"command":"ls","cmd":"rm"}',
      ["exec", { cmd: "ls", original_cmd: "rm" }],
    ],
    [
      "keeps a parameter of another type as it was",
      "Bash",
      '{"command":"ls","timeout":"5"}',
      ["exec", { cmd: "ls", timeout: "5" }],
    ],
    ["converts a call with the tool's own function", "Todo", '{"todos":[1]}', ["plan", [[1]]]],
    ["gives nothing for an unknown tool", "constructor", "{}", undefined],
    ["refuses a call without a valid required parameter", "Bash", '{"command":["ls"]}', undefined],
    ["refuses parameters that are not an object", "Bash", '"ls"', undefined],
    [
      "gives nothing if the other client has no such tool",
      "Edit",
      '{"file":"a","old":"","new":""}',
      undefined,
    ],
  ])("%s", (_, name, params, expected) => {
    expect(translated(name, params)).toEqual(expected);
  });

  it("writes a call as it was read, whatever other parameters it has", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (others, command) => {
        const params = { ...others, command };
        const common = left.read({ name: "Bash", params: parseJson(JSON.stringify(params)) });
        const call = common && left.write(common);

        expect(call?.name).toBe("Bash");
        expect(JSON.parse(stringifyJson(call?.params ?? null))).toEqual(
          JSON.parse(JSON.stringify(params)),
        );
      }),
    );
  });
});
