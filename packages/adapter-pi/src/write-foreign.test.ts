import { jsonlRecords, restoredFiles, sampleLineage, withFolder } from "@pond/adapter-testkit";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageFromWire,
  partsOf,
  type Session,
  sessionFromWire,
} from "@pond/canonical";
import type { CommonCall, Lineage, NativeParent, Writer } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { readHome } from "./home.test-kit.ts";
import { ompProblems, piProblems } from "./problems.ts";
import { toOmp, toPi } from "./to-pi.ts";

type Draft = { readonly role: string; readonly content: string | readonly object[] };

/** A session of another client. */
function lineageOf(drafts: readonly Draft[], options = {}, parent: object = {}): Lineage {
  const id = "original";
  const session: Session = sessionFromWire({
    id,
    source_agent: "other",
    created_at: "2026-03-01T09:00:00.000250Z",
    project: "/home/ada/loom",
    options: {},
    ...parent,
  });
  const messages = drafts.map(({ role, content }, index) => {
    const header = { id: `m${index}`, session_id: id, role, options };
    const timestamp = `2026-03-01T09:00:0${index}.000Z`;
    const parts =
      typeof content === "string"
        ? content
        : content.map((part, at) => {
            const place = { id: String(at), session_id: id, message_id: header.id };
            return { ...place, provenance: "conversational", options: {}, ...part };
          });
    return messageFromWire({ ...header, timestamp, content: parts });
  });
  return { root: { session, messages }, descendants: [] };
}

const text = (text: string) => ({ type: "text", text });
const call = (name: string, params: JsonValue = {}, call_id = "c") => ({
  type: "tool_call",
  call_id,
  name,
  params,
  provider_executed: false,
});
const result = (value: JsonValue, call_id = "c") => ({
  type: "tool_result",
  call_id,
  is_failure: false,
  result: value,
});

/** The records of the first file, by line. */
function records(writer: Writer, lineage: Lineage, common?: CommonCall): readonly JsonObject[] {
  const [file] = jsonlRecords(
    restoredFiles(writer.writeForeign(lineage, { readTool: () => common })),
  ).values();
  return (file ?? []).filter(isJsonObject);
}

const messagesOf = (writer: Writer, lineage: Lineage, common?: CommonCall) =>
  records(writer, lineage, common).flatMap(({ message }) =>
    isJsonObject(message) ? [message] : [],
  );

const short = (message: JsonObject) => [message["role"], message["content"]];

it("writes a session of pi with header and model first, each entry the child of the one before", () => {
  const lineage = lineageOf(
    [
      { role: "user", content: [text("hi")] },
      { role: "assistant", content: [text("hello")] },
    ],
    { source: { rest: { message: { model: "claude-opus-4-6" } } } },
  );

  const [header, model, prompt, answer] = records(toPi, lineage);

  expect(header).toEqual({
    type: "session",
    version: 3,
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
    timestamp: "2026-03-01T09:00:00.000Z",
    cwd: "/home/ada/loom",
  });
  expect(model).toMatchObject({
    provider: "anthropic",
    modelId: "claude-opus-4-6",
    parentId: null,
  });
  expect(prompt).toMatchObject({ type: "message", parentId: model?.["id"] });
  expect(answer).toMatchObject({
    parentId: prompt?.["id"],
    timestamp: "2026-03-01T09:00:01.000Z",
    message: {
      role: "assistant",
      content: [text("hello")],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-opus-4-6",
      stopReason: "stop",
      timestamp: Date.parse("2026-03-01T09:00:01.000Z"),
    },
  });
});

it("writes a session of omp with a title line first, and names models as omp does", () => {
  const [slot, header, model] = records(
    toOmp,
    lineageOf([{ role: "assistant", content: [text("x")] }]),
  );

  expect(Buffer.byteLength(`${JSON.stringify(slot)}\n`)).toBe(256);
  expect(header).toMatchObject({ type: "session", version: 3 });
  expect(model).toMatchObject({ type: "model_change", model: "other/other", role: "default" });
});

describe.each([
  ["pi", toPi],
  ["omp", toOmp],
])("%s", (_, writer) => {
  it("is given every call with its result right after it", () => {
    const messages = messagesOf(
      writer,
      lineageOf([
        { role: "assistant", content: [text("look"), call("a", {}, "1"), call("b!", [1], "2")] },
        { role: "tool", content: [result("two", "2"), result([{ type: "x" }], "1")] },
        { role: "assistant", content: [call("c", {}, "3")] },
      ]),
    );

    expect(messages.map(short)).toEqual([
      [
        "assistant",
        [
          text("look"),
          { type: "toolCall", id: "1", name: "a", arguments: {} },
          { type: "toolCall", id: "2", name: "b_", arguments: { input: [1] } },
        ],
      ],
      ["toolResult", [text('{"type":"x"}')]],
      ["toolResult", [text("two")]],
      ["assistant", [{ type: "toolCall", id: "3", name: "c", arguments: {} }]],
      ["toolResult", [text("No result of this call was recorded.")]],
    ]);
    expect(messages.map(({ stopReason, isError }) => stopReason ?? isError)).toEqual([
      "toolUse",
      false,
      false,
      "toolUse",
      true,
    ]);
  });

  it("is given a known call as a call of its own tool", () => {
    const common: CommonCall = { kind: "shell", fields: { command: "ls" }, rest: { why: "x" } };

    const [message] = messagesOf(
      writer,
      lineageOf([{ role: "assistant", content: [call("Shell")] }]),
      common,
    );

    expect(message?.["content"]).toEqual([
      { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls", why: "x" } },
    ]);
  });

  it("is given thinking without the signature of another client, and images", () => {
    const picture = {
      type: "file",
      media_type: "image/png",
      data: { type: "bytes", base64: "aGk=" },
    };
    const options = { source: { rest: { signature: "sealed" } } };
    const block = { type: "image", mimeType: "image/png" };
    const messages = messagesOf(
      writer,
      lineageOf([
        { role: "user", content: [picture, { ...picture, media_type: "application/zip" }] },
        { role: "assistant", content: [{ type: "reasoning", text: "hm", options }, call("a")] },
        {
          role: "tool",
          content: [
            result([
              { ...block, data: "aGk=" },
              { type: "file", filename: "a.pdf", url: "data:application/pdf;base64,aGk=" },
            ]),
          ],
        },
      ]),
    );

    expect(messages.map(short)).toEqual([
      ["user", [{ ...block, data: "aGk=" }, text("[File without a name, application/zip]")]],
      [
        "assistant",
        [
          { type: "thinking", thinking: "hm" },
          { type: "toolCall", id: "c", name: "a", arguments: {} },
        ],
      ],
      ["toolResult", [{ ...block, data: "aGk=" }, text("[File a.pdf, application/pdf]")]],
    ]);
  });

  it("is given a tool result without a call as its text and images", () => {
    const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
    const pdf = { type: "file", filename: "a.pdf", url: "data:application/pdf;base64,aGk=" };
    const answer = result([text("shot"), picture, pdf]);

    const given = records(writer, lineageOf([{ role: "tool", content: [answer] }]));

    expect(given.find(({ type }) => type === "custom_message")?.["content"]).toEqual([
      text("Result of a tool (c):\nshot"),
      picture,
      text("[File a.pdf, application/pdf]"),
    ]);
  });

  it("is given text that no human typed as context, and reads it back as such (`model-part-provenance`)", async () => {
    const lineage = lineageOf([
      { role: "system", content: "You weave." },
      { role: "system", content: "" },
      { role: "user", content: [{ ...text("be brief"), provenance: "injected" }, text("weave")] },
      { role: "tool", content: [result("lost")] },
    ]);
    const files = restoredFiles(writer.writeForeign(lineage, {}));

    const { contents } = await withFolder(files, (home) =>
      readHome(writer === toPi ? fromPi(home) : fromOmp(home)),
    );

    const parts = contents.flatMap(({ messages }) => messages.flatMap(partsOf));
    expect(parts.map((part) => [part.provenance, "text" in part && part.text])).toEqual([
      ["injected", "You weave."],
      ["injected", "be brief"],
      ["conversational", "weave"],
      ["injected", "Result of a tool (c):\nlost"],
    ]);
  });

  it("is given a message before a first answer, because providers refuse an answer alone", () => {
    const first = (...drafts: readonly Draft[]) =>
      records(writer, lineageOf(drafts))
        .filter(({ type }) => type === "message" || type === "custom_message")
        .map(({ message, content }) => (isJsonObject(message) ? message : { content })["content"]);
    const answer = { role: "assistant", content: [text("hello")] };

    expect(first({ role: "user", content: [text(" ")] }, answer, answer)).toEqual([
      [text("This session was restored from other.")],
      [text("hello"), text("hello")],
    ]);
    expect(first({ role: "system", content: "You weave." }, answer)).toEqual([
      [text("You weave.")],
      [text("hello")],
    ]);
  });

  it("is given no failure if the missing result belongs to a tool that the provider ran", () => {
    const calls = [{ ...call("a", {}, "1"), provider_executed: true }, call("b", {}, "2")];
    const messages = messagesOf(writer, lineageOf([{ role: "assistant", content: calls }]));

    expect(messages.map(({ isError }) => isError)).toEqual([undefined, false, true]);
  });

  it("is given an image with the type of its first bytes if the source has no type", () => {
    const picture = {
      type: "file",
      media_type: "application/octet-stream",
      data: { type: "bytes", base64: "iVBORw0KGgo=" },
    };

    expect(messagesOf(writer, lineageOf([{ role: "user", content: [picture] }]))).toMatchObject([
      { content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }] },
    ]);
  });

  it("is given nothing that providers refuse, and every part is counted", () => {
    const lineage = lineageOf([
      { role: "user", content: [text(" \n")] },
      { role: "user", content: [text("a\ud800b")] },
      { role: "assistant", content: [{ type: "reasoning", text: "" }] },
      { role: "assistant", content: [call("\ud800".repeat(200), { "\udfff": "\ud800" })] },
    ]);
    const [file] = [...writer.writeForeign(lineage, {})];
    const files = restoredFiles(writer.writeForeign(lineage, {}));

    expect((writer === toPi ? piProblems : ompProblems)(files)).toEqual([]);
    expect(file?.fidelity).toEqual({
      text: { kept: 1, translated: 0, dropped: 1 },
      reasoning: { kept: 0, translated: 0, dropped: 1 },
      tool_call: { kept: 0, translated: 1, dropped: 0 },
    });
  });
});

it("gives sub-agents to omp below their session, and to pi as sessions that name their parent", async () => {
  const paths = (writer: Writer) =>
    [...writer.writeForeign(sampleLineage(), {})].map(({ path }) => path);
  const [root = "", child = "", grandchild = ""] = paths(toOmp);

  expect(child.startsWith(root.replace(".jsonl", "/Agent-"))).toBe(true);
  expect(grandchild.startsWith(child.replace(".jsonl", ".Agent-"))).toBe(true);
  expect(new Set(paths(toPi).map((path) => path.split("/").length))).toEqual(new Set([3]));

  const descents = async (writer: Writer) => {
    const files = restoredFiles(writer.writeForeign(sampleLineage(), {}));
    const { lineages } = await withFolder(files, (home) =>
      readHome(writer === toPi ? fromPi(home) : fromOmp(home)),
    );
    return lineages.map(({ descendants }) => descendants.length);
  };
  expect(await descents(toOmp)).toEqual([2]);
  expect(await descents(toPi)).toEqual([2]);
});

it("leaves out files beside the log, and counts them as dropped", () => {
  const file = { type: "file", media_type: "text/plain", data: { type: "bytes", base64: "aGk=" } };
  const lineage = lineageOf([{ role: "user", content: [{ ...file, provenance: "injected" }] }], {
    source: { sidecar: "0.bash.log" },
  });

  expect(messagesOf(toPi, lineage)).toEqual([]);
  expect([...toPi.writeForeign(lineage, {})].map(({ fidelity }) => fidelity)).toEqual([
    { file: { kept: 0, translated: 0, dropped: 1 } },
  ]);
});

it("shortens the task of a sub-agent of omp without splitting a character", () => {
  const { root } = lineageOf([{ role: "user", content: [text("x")] }]);
  const task = `${"x".repeat(1999)}🧵🧵`;
  const child = lineageOf([{ role: "user", content: [text(task)] }], {}).root;
  const session = sessionFromWire({
    ...child.session,
    id: "child",
    parent_session_id: root.session.id,
    created_at: "2026-03-01T09:00:01.000Z",
  });
  const lineage = { root, descendants: [{ ...child, session }] };

  const files = jsonlRecords(restoredFiles(toOmp.writeForeign(lineage, {})));
  const inits = [...files.values()].flat().filter(isJsonObject);

  expect(inits.find(({ type }) => type === "session_init")?.["task"]).toBe(task.slice(0, -2));
});

describe("below sessions that the client already has", () => {
  const at = "sessions/--home-ada-loom--/2026-02-28T08-00-00-000Z_main";
  const native = (id: string, path: string, above: object = {}): NativeParent => {
    const { session } = lineageOf([], {}, { id, ...above }).root;
    return { session, path };
  };
  const parents = [
    native("agent", `${at}/Scout.jsonl`, {
      parent_session_id: "main",
      options: { source: { artifact: "Scout.jsonl" } },
    }),
    native("main", `${at}.jsonl`),
  ];
  const written = (writer: Writer, above: readonly NativeParent[], source: object) => {
    const [parent] = above;
    const lineage = lineageOf(
      [{ role: "user", content: [text("x")] }],
      {},
      { parent_session_id: parent?.session.id, options: { source } },
    );
    const [[path, records] = ["", []]] = jsonlRecords(
      restoredFiles(writer.writeForeign(lineage, {}, above)),
    );
    const head = records.filter(isJsonObject).find(({ type }) => type === "session");
    return [path, head?.["parentSession"]];
  };
  const own = (project: string): unknown => expect.stringMatching(`^sessions/${project}/[^/]*$`);
  const main = parents.slice(1);

  it.each([
    ["a sub-agent", {}],
    ["a fork", { relation: "fork" }],
  ])("%s names the path of its parent in pi", (_, source) => {
    expect(written(toPi, main, source)).toEqual([own("--home-ada-loom--"), `${at}.jsonl`]);
    expect(written(toPi, parents, source)).toEqual([own("--home-ada-loom--"), `${at}/Scout.jsonl`]);
  });

  it("a fork names the id of its parent in omp", () => {
    const fork = { relation: "fork" };
    const apart = [native("omp:main", `${at}.jsonl`)];

    expect(written(toOmp, main, fork)).toEqual([own("--home-ada-loom--"), "main"]);
    expect(written(toOmp, apart, fork)).toEqual([own("--home-ada-loom--"), "main"]);
    expect(written(toOmp, parents, fork)).toEqual([own("--home-ada-loom--"), "agent"]);
  });

  it("a sub-agent lies below its parent in omp", () => {
    const path = (begin: string) => expect.stringMatching(`^${begin}Agent-[0-9a-f]{8}\\.jsonl$`);

    expect(written(toOmp, main, {})).toEqual([path(`${at}/`), undefined]);
    expect(written(toOmp, parents, {})).toEqual([path(`${at}/Scout\\.`), undefined]);
  });

  it.each([[toPi], [toOmp]])("names no parent that is missing", (writer) => {
    const lineage = lineageOf([], {}, { parent_session_id: "main" });

    expect(records(writer, lineage).some((record) => "parentSession" in record)).toBe(false);
  });
});

it("writes a fork in a place of its own, and the same files each time", () => {
  const fork = lineageOf(
    [{ role: "user", content: [text("x")] }],
    {},
    {
      parent_session_id: "elsewhere",
      parent_message_id: "m9",
    },
  );
  const write = () => restoredFiles(toOmp.writeForeign(fork, {}));

  expect([...write().keys()][0]?.split("/")).toHaveLength(3);
  expect(write()).toEqual(write());
});
