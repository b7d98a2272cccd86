import { fileURLToPath } from "node:url";
import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import {
  isJsonObject,
  type JsonObject,
  messageFromWire,
  parseJson,
  sessionFromWire,
} from "@pond/canonical";
import type { Lineage, Meanings, NativeParent, RestoredFile } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { toCodex } from "./to-codex.ts";

/** Role and parts of one message; a part that is a text was typed or said. */
type Said = {
  readonly role: string;
  readonly of: readonly (string | JsonObject)[];
  readonly model?: string;
  readonly minute?: number;
};

/** A session of another client. */
function lineageOf(said: readonly Said[], id = "s", fields: JsonObject = {}): Lineage["root"] {
  const session = sessionFromWire({
    id,
    source_agent: "another-client",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/home/ada/loom",
    options: {},
    ...fields,
  });
  const messages = said.map(({ role, of, model, minute = 0 }, index) => {
    const parts = of.map((part, at) => ({
      id: String(at),
      session_id: id,
      message_id: `m${index}`,
      provenance: "conversational",
      options: {},
      ...(typeof part === "string" ? { type: "text", text: part } : part),
    }));
    return messageFromWire({
      id: `m${index}`,
      session_id: id,
      role,
      timestamp: `2026-03-01T09:0${minute}:00.000Z`,
      options: model === undefined ? {} : { source: { rest: { model } } },
      content: role === "system" ? of.join("") : parts,
    });
  });
  return { session, messages };
}

const user = (...of: (string | JsonObject)[]): Said => ({ role: "user", of });
const assistant = (...of: (string | JsonObject)[]): Said => ({ role: "assistant", of });
const tool = (...of: JsonObject[]): Said => ({ role: "tool", of });
const call = (call_id: string, fields: JsonObject = {}): JsonObject => ({
  type: "tool_call",
  call_id,
  name: "ls",
  params: {},
  provider_executed: false,
  ...fields,
});
const result = (call_id: string, value: JsonObject | string, is_failure = false): JsonObject => ({
  type: "tool_result",
  call_id,
  is_failure,
  result: value,
});

type Line = { readonly timestamp: string; readonly type: string; readonly payload: JsonObject };

function write(root: Lineage["root"], meanings: Meanings = {}): RestoredFile {
  const [file] = toCodex.writeForeign({ root, descendants: [] }, meanings);
  if (file === undefined) throw new TypeError("a file is written");
  return file;
}

function linesOf({ content }: RestoredFile): readonly Line[] {
  return [...content]
    .join("")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The items that go to the model. */
function items(said: readonly Said[], meanings?: Meanings): readonly JsonObject[] {
  const lines = linesOf(write(lineageOf(said), meanings));
  return lines.flatMap(({ type, payload }) => (type === "response_item" ? [payload] : []));
}

/** What a line is, in short. */
function kind({ type, payload }: Line): string {
  const { type: inner = "", role = "" } = payload;
  return [type, inner, role].filter((word) => word !== "").join(" ");
}

it("writes each turn with the events that show it, and each call followed by its output", () => {
  const root = lineageOf([
    { role: "system", of: ["Be brief."] },
    user("Why?"),
    assistant({ type: "reasoning", text: "Hm." }, "Because.", call("a")),
    tool(result("a", "ok")),
    assistant("So."),
    user("And?"),
  ]);

  expect(linesOf(write(root)).map(kind)).toEqual([
    "session_meta",
    "event_msg task_started",
    "response_item message developer",
    "response_item message user",
    "event_msg user_message",
    "response_item reasoning",
    "event_msg agent_reasoning",
    "response_item message assistant",
    "event_msg agent_message",
    "response_item function_call",
    "response_item function_call_output",
    "response_item message assistant",
    "event_msg agent_message",
    "event_msg task_complete",
    "event_msg task_started",
    "response_item message user",
    "event_msg user_message",
    "event_msg task_complete",
  ]);
});

it.each(["gpt-5.4", "gpt-5-mini", "claude-opus-4-6"])(
  "leaves the model and the approvals to the client's settings, whatever the model: %s",
  (model) => {
    const root = lineageOf([user("Why?"), { ...assistant("Because."), model }]);

    const types = linesOf(write(root)).map(({ type }) => type);

    expect(types).not.toContain("turn_context");
  },
);

it("writes times that never run backwards", () => {
  const root = lineageOf([
    { ...user("one"), minute: 3 },
    { ...assistant("two"), minute: 1 },
    { ...user("three"), minute: 5 },
  ]);

  const times = linesOf(write(root)).map(({ timestamp }) => timestamp);

  expect(times).toEqual(times.toSorted());
  expect(new Set(times.map((time) => time.slice(14, 16)))).toEqual(new Set(["00", "03", "05"]));
});

it("gives text that no human typed to the model as instructions, and shows it to nobody", () => {
  const injected = { type: "text", text: "<reminder/>", provenance: "injected" };
  const image = {
    type: "file",
    media_type: "image/png",
    file_name: "a.png",
    provenance: "injected",
    data: { type: "bytes", base64: "aGk=" },
  };
  const lines = linesOf(
    write(lineageOf([user(injected, image, "Why?"), tool(result("lost", "ok"))])),
  );

  const payloads = lines.map(({ payload }) => payload);
  const given = payloads.filter(({ role }) => role === "developer");
  expect(given.map(({ content }) => content)).toEqual([
    [
      { type: "input_text", text: "<reminder/>" },
      { type: "input_text", text: "[File a.png, image/png]" },
    ],
    [{ type: "input_text", text: "Result of a tool (lost):\nok" }],
  ]);
  const shown = payloads.filter(({ type }) => type === "user_message");
  expect(shown.map(({ message }) => message)).toEqual(["Why?"]);
});

it.each<[name: string, file: JsonObject, element: JsonObject, images: number]>([
  [
    "an image",
    { media_type: "image/png", data: { type: "bytes", base64: "aGk=" } },
    { type: "input_image", image_url: "data:image/png;base64,aGk=" },
    1,
  ],
  [
    "an image of an unsupported type",
    { media_type: "image/tiff", file_name: "a.tiff", data: { type: "bytes", base64: "aGk=" } },
    { type: "input_text", text: "[File a.tiff, image/tiff]" },
    0,
  ],
  [
    "an empty image",
    { media_type: "image/png", data: { type: "bytes", base64: "" } },
    { type: "input_text", text: "[File without a name, image/png]" },
    0,
  ],
  [
    "an image with a generic media type",
    { media_type: "application/octet-stream", data: { type: "bytes", base64: "iVBORw0KGgo=" } },
    { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    1,
  ],
  [
    "a text file",
    { media_type: "text/plain", file_name: "a.txt", data: { type: "bytes", base64: "aGk=" } },
    { type: "input_text", text: "[File a.txt, text/plain]\nhi" },
    0,
  ],
  [
    "an image at a URL",
    { media_type: "image/png", data: { type: "url", url: "https://example.org/a.png" } },
    { type: "input_text", text: "[File: https://example.org/a.png]" },
    0,
  ],
])("writes %s in a form that the API accepts", (_, file, element, images) => {
  const lines = linesOf(write(lineageOf([user({ type: "file", ...file })])));

  const payloads = lines.map(({ payload }) => payload);
  expect(payloads.find(({ role }) => role === "user")?.["content"]).toEqual([element]);
  const event = payloads.find(({ type }) => type === "user_message");
  expect(event?.["images"]).toHaveLength(images);
});

it.each([
  ["a web address", "https://example.org/a.zip", "translated"],
  ["a data URL in upper case", "DATA:application/zip;base64,aGk=", "dropped"],
  ["a data URL without content", "data:application/zip", "dropped"],
])("counts %s by how much of the file is left", (_, url, outcome) => {
  const file = { type: "file", media_type: "application/zip", data: { type: "url", url } };
  const { fidelity } = write(lineageOf([user(file)]));

  expect(fidelity?.file).toEqual({ kept: 0, translated: 0, dropped: 0, [outcome]: 1 });
});

it.each<[name: string, said: readonly Said[], written: readonly JsonObject[]]>([
  [
    "a failed call",
    [assistant(call("a")), tool(result("a", "no", true))],
    [
      { type: "function_call", name: "ls", arguments: "{}", call_id: "a" },
      { type: "function_call_output", call_id: "a", output: "no" },
    ],
  ],
  [
    "a call without a result",
    [assistant(call("a"))],
    [
      { type: "function_call", name: "ls", arguments: "{}", call_id: "a" },
      {
        type: "function_call_output",
        call_id: "a",
        output: "No result of this call was recorded.",
      },
    ],
  ],
  [
    "a call with plain-text parameters",
    [assistant(call("a", { name: "mend it", params: "*** x\ud800" })), tool(result("a", "ok"))],
    [
      {
        type: "custom_tool_call",
        status: "completed",
        call_id: "a",
        name: "mend_it",
        input: "*** x\ufffd",
      },
      { type: "custom_tool_call_output", call_id: "a", output: "ok" },
    ],
  ],
  [
    "a call with a list of parameters",
    [assistant(call("a", { params: [1] })), tool(result("a", { found: 1 }))],
    [
      { type: "function_call", name: "ls", arguments: '{"input":[1]}', call_id: "a" },
      { type: "function_call_output", call_id: "a", output: '{"found":1}' },
    ],
  ],
  [
    "a result with images and files",
    [
      assistant(call("a")),
      tool(
        result("a", {
          content: [
            { type: "text", text: "see" },
            { type: "image", mimeType: "image/png", data: "aGk=" },
            { type: "image", mimeType: "image/bmp", data: "aGk=" },
            { type: "file", filename: "a.pdf", url: "data:application/pdf;base64,aGk=" },
          ],
        }),
      ),
    ],
    [
      { type: "function_call", name: "ls", arguments: "{}", call_id: "a" },
      {
        type: "function_call_output",
        call_id: "a",
        output: [
          { type: "input_text", text: "see" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=" },
          { type: "input_text", text: "[Image, image/bmp]" },
          { type: "input_text", text: "[File a.pdf, application/pdf]" },
        ],
      },
    ],
  ],
  [
    "messages without visible text",
    [user(" "), assistant("\n", { type: "reasoning", text: "" })],
    [],
  ],
])("writes the response items for %s", (_, said, written) => {
  expect(items(said)).toEqual(written);
});

it("writes a call as the client's own tool if it has a counterpart", () => {
  const written = items([assistant(call("a")), tool(result("a", "ok"))], {
    readTool: () => ({ kind: "write", fields: { path: "/a", content: "hi" }, rest: {} }),
  });

  expect(written).toEqual([
    {
      type: "custom_tool_call",
      status: "completed",
      call_id: "a",
      name: "apply_patch",
      input: "*** Begin Patch\n*** Add File: /a\n+hi\n*** End Patch",
    },
    { type: "custom_tool_call_output", call_id: "a", output: "ok" },
  ]);
});

it("counts how much of each kind of part was kept", () => {
  const root = lineageOf([
    user("Why?", " "),
    assistant({ type: "reasoning", text: "Hm." }, call("a"), call("b", { name: "a b" })),
    tool(result("a", "ok"), result("b", "no", true)),
  ]);

  expect(write(root).fidelity).toEqual({
    text: { kept: 1, translated: 0, dropped: 1 },
    reasoning: { kept: 1, translated: 0, dropped: 0 },
    tool_call: { kept: 1, translated: 1, dropped: 0 },
    tool_result: { kept: 1, translated: 1, dropped: 0 },
  });
});

it("writes sub-agents as spawned threads, and forks with the thread that they came from (`adapter-lineage-complete-restore`)", () => {
  const fork = { parent_session_id: "s", options: { source: { relation: "fork" } } };
  const lineage = {
    root: lineageOf([user("Why?")]),
    descendants: [
      lineageOf([user("Look.")], "agent", { parent_session_id: "s" }),
      lineageOf([user("Look closer.")], "agent-of-agent", { parent_session_id: "agent" }),
      lineageOf([user("Why not?")], "fork", fork),
    ],
  };

  const metas = [...toCodex.writeForeign(lineage, {})].map(
    (file) => linesOf(file)[0]?.payload ?? {},
  );

  const [root, agent, nested, forked] = metas;
  const spawned = (parent: JsonObject | undefined, depth: number) => ({
    session_id: root?.["id"],
    parent_thread_id: parent?.["id"],
    thread_source: "subagent",
    source: {
      subagent: {
        thread_spawn: {
          parent_thread_id: parent?.["id"],
          depth,
          agent_nickname: null,
          agent_role: null,
        },
      },
    },
  });
  expect(root).toMatchObject({ session_id: root?.["id"], source: "cli" });
  expect(agent).toMatchObject(spawned(root, 1));
  expect(nested).toMatchObject(spawned(agent, 2));
  expect(forked).toMatchObject({
    session_id: forked?.["id"],
    forked_from_id: root?.["id"],
    source: "cli",
  });
});

describe("below threads that the client already has", () => {
  const [main, agent] = [
    "019c0000-0000-7000-8000-0000000000aa",
    "019c0000-0000-7000-8000-0000000000bb",
  ];
  const native = (name: string, id: string, fields: JsonObject = {}): NativeParent => ({
    session: lineageOf([], id, { source_agent: "codex", ...fields }).session,
    path: `sessions/2026/03/01/${name}.jsonl`,
  });
  const named = "rollout-2026-03-01T09-00-00";
  const parents = [
    native(`${named}-${agent}`, agent, { parent_session_id: main }),
    native(`${named}-${main}`, main),
  ];
  const metaOf = (fields: JsonObject, above: readonly NativeParent[]): JsonObject => {
    const root = lineageOf([user("Why?")], "s", fields);
    const [file] = toCodex.writeForeign({ root, descendants: [] }, {}, above);
    return (file && linesOf(file)[0]?.payload) ?? {};
  };

  it("names the parent of a fork or of a spawned thread by the parent's own id", () => {
    const fork = { parent_session_id: agent, options: { source: { relation: "fork" } } };
    const forked = metaOf(fork, parents);
    const spawned = metaOf({ parent_session_id: agent }, parents);

    expect(forked).toMatchObject({
      session_id: forked["id"],
      forked_from_id: agent,
      source: "cli",
    });
    expect(spawned).toMatchObject({
      session_id: main,
      parent_thread_id: agent,
      source: { subagent: { thread_spawn: { parent_thread_id: agent, depth: 2 } } },
    });
  });

  it.each([
    ["the client does not have", []],
    ["the client does not find by its id", [native("loom", main)]],
  ])("names no parent that %s", (_, above) => {
    const meta = metaOf({ parent_session_id: main }, above);

    expect(meta).toMatchObject({ session_id: meta["id"], source: "cli" });
    expect(JSON.stringify(meta)).not.toContain(main);
  });
});

it("writes the sample session as it was reviewed (`-u` writes it)", async () => {
  const files = restoredFiles(toCodex.writeForeign(sampleLineage(), {}));

  const text = [...files].map(([path, bytes]) => `${path}\n${Buffer.from(bytes)}`).join("\n");
  const golden = new URL("../../../fixtures/codex/_foreign/expected.txt", import.meta.url);
  await expect(text).toMatchFileSnapshot(fileURLToPath(golden));
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.every((line) => isJsonObject(parseJson(line)))).toBe(true);
});
