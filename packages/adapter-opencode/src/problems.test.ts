import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { importProblems, opencodeProblems } from "./problems.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/opencode", import.meta.url));
const place = { id: "msg_1", sessionID: "ses_a" };
const model = { providerID: "weaver", modelID: "shuttle-3" };
const info = {
  id: "ses_a",
  slug: "a",
  projectID: "global",
  directory: "/loom",
  title: "Loom",
  version: "1.18.33",
  time: { created: 1, updated: 2 },
};
const user = { ...place, role: "user", time: { created: 1 }, agent: "build", model };
const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
const answer = {
  ...place,
  id: "msg_2",
  role: "assistant",
  time: { created: 1, completed: 2 },
  parentID: "msg_1",
  ...model,
  mode: "build",
  agent: "build",
  path: { cwd: "/loom", root: "/loom" },
  cost: 0,
  tokens,
};
const partPlace = { id: "prt_1", sessionID: "ses_a", messageID: "msg_1" };
const text = { ...partPlace, type: "text", text: "Why?" };
const tool = {
  ...partPlace,
  type: "tool",
  callID: "c",
  tool: "bash",
  state: { status: "running", input: {}, time: { start: 1 } },
};

function problemsOf(value: unknown): readonly string[] {
  const bytes = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  return opencodeProblems(new Map([["pond/a.json", bytes]]));
}

/** An image at an address. */
const image = (url: string) => ({ ...partPlace, type: "file", mime: "image/png", url });

const mention = { value: "@a.png", start: 0, end: 6 };

const session = (...messages: readonly unknown[]) => ({ info, messages });
const says = (info: unknown, ...parts: readonly unknown[]) => ({ info, parts });

it("finds nothing wrong with an export that the client accepts", () => {
  expect(problemsOf(session(says(user, text), says(answer)))).toEqual([]);
  const files = [
    image("data:image/png;base64,aGk="),
    { ...image("file:///loom/a.png"), id: "prt_2" },
    { ...image("data:text/plain;base64,"), id: "prt_3", mime: "text/plain" },
  ];
  expect(problemsOf(session(says(user, ...files)))).toEqual([]);
});

it.each<[string, unknown, readonly string[]]>([
  ["a file that is not JSON", "{half", [expect.stringMatching(/^pond\/a.json: is not JSON: /)]],
  ["a list in place of an object", [], ["pond/a.json: is not an object"]],
  ["no list of messages", { info }, ["pond/a.json: export.messages is not a list"]],
  [
    "a session without a slug, and a text as a time",
    { info: { ...info, slug: undefined, time: { created: "now", updated: 2 } }, messages: [] },
    [
      "pond/a.json: export.info.slug is not a string",
      "pond/a.json: export.info.time.created is not a time in whole milliseconds",
    ],
  ],
  [
    "an unknown role",
    session(says({ ...user, role: "moderator" })),
    ["pond/a.json: export.messages[0].info.role is none that the client knows"],
  ],
  [
    "an unknown type of part",
    session(says(user, { ...text, type: "constructor" })),
    ["pond/a.json: export.messages[0].parts[0].type is none that the client knows"],
  ],
  [
    "an error that does not say whether it can be retried",
    session(says(user), says({ ...answer, error: { name: "APIError", data: { message: "x" } } })),
    ["pond/a.json: export.messages[1].info.error.data.isRetryable is not true or false"],
  ],
  [
    "files, an agent and a command with incomplete fields",
    session(
      says(
        user,
        { ...image("file:///loom/a.png"), source: { path: "a.png" } },
        { ...image("file:///loom/a.png"), source: { type: "file", path: "a.png", text: mention } },
        { ...partPlace, type: "agent", name: "explore", source: { value: "@explore" } },
        { ...partPlace, type: "subtask", prompt: "", description: "", agent: "", model: {} },
      ),
    ),
    [
      "pond/a.json: export.messages[0].parts[0].source.type is none that the client knows",
      "pond/a.json: export.messages[0].parts[2].source.start is not a number",
      "pond/a.json: export.messages[0].parts[2].source.end is not a number",
      "pond/a.json: export.messages[0].parts[3].model.providerID is not a string",
      "pond/a.json: export.messages[0].parts[3].model.modelID is not a string",
    ],
  ],
  [
    "an answer without its prompt",
    session(says(answer)),
    ["pond/a.json: export.messages[0] answers a prompt that did not come before"],
  ],
  [
    "ids out of order",
    session(says({ ...user, id: "msg_3" }), says({ ...answer, parentID: "msg_3" })),
    ["pond/a.json: export.messages[1] is not in the order of times and ids"],
  ],
  [
    "a repeated message",
    session(says(user), says(user)),
    ["pond/a.json: export.messages[1] has an id that came before"],
  ],
  [
    "a running call that repeats a part of another message",
    session(says(user, text), says(answer, tool)),
    [
      "pond/a.json: export.messages[1].parts[0] has an id that came before",
      "pond/a.json: export.messages[1].parts[0] is of another message",
      "pond/a.json: export.messages[1].parts[0] is a call that runs",
    ],
  ],
  [
    "an image without content, and a tool's image that is a blob reference",
    session(
      says(user, image("data:image/png;base64,")),
      says(answer, {
        ...tool,
        id: "prt_2",
        messageID: "msg_2",
        state: {
          status: "completed",
          input: {},
          output: "",
          title: "",
          metadata: {},
          time: { start: 1, end: 1 },
          attachments: [image("data:image/png;base64,blob:sha256:f0f0")],
        },
      }),
    ),
    [
      "pond/a.json: export.messages[0].parts[0] holds an image that is none",
      "pond/a.json: export.messages[1].parts[0].state.attachments[0] holds an image that is none",
    ],
  ],
])("reports a problem in an export: %s", (_, value, problems) => {
  expect(problemsOf(value)).toEqual(problems);
});

it("tells a problem for a provider from a problem for an import", () => {
  const value = session(says(user, image("data:image/png;base64,")));

  expect(problemsOf(value)).toHaveLength(1);
  expect(importProblems(parseJson(JSON.stringify(value)))).toEqual([]);
});

it("reports in exports of 2.x only running tools, unknown types and a missing title", () => {
  const folder = join(fixtures, "export-2/input");
  const files = globSync("**/*.json", { cwd: folder })
    .sort()
    .map((path) => [path, readFileSync(join(folder, path))] as const);

  const problems = opencodeProblems(new Map(files));

  const main = "exports/ses_5a1e00000ffe000000000Main2.json: export.messages";
  const child = "exports/ses_5a1e00000ffe00000000Child2.json: export.info.title is not a string";
  expect(problems).toEqual([
    `${main}[6].content[5].state.status is none that the client knows`,
    `${main}[6].content[6].state.status is none that the client knows`,
    `${main}[6].content[7].type is none that the client knows`,
    `${main}[12].type is none that the client knows`,
    child,
  ]);
});
