import { fileURLToPath } from "node:url";
import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { messageFromWire, sessionFromWire } from "@pond/canonical";
import type { Fidelity, Lineage, NativeParent, SessionContent } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { opencodeProblems } from "./problems.ts";
import { writeForeign } from "./write-foreign.ts";

type Draft = readonly [role: string, ...parts: readonly (string | object)[]];

/** A session of another client; a part that is a string is a typed text. */
function content(id: string, drafts: readonly Draft[], more: object = {}): SessionContent {
  const created_at = "2026-03-01T09:00:00.000Z";
  const labels = { source_agent: "codex", created_at, project: "/home/ada/loom", options: {} };
  const messages = drafts.map(([role, ...parts], index) => {
    const timestamp = `2026-03-01T09:00:0${9 - index}.000Z`;
    const message = { id: `m${index}`, session_id: id, role, timestamp, options: {} };
    if (role === "system") return messageFromWire({ ...message, content: parts[0] });
    const base = {
      session_id: id,
      message_id: message.id,
      provenance: "conversational",
      options: {},
    };
    const typed = parts.map((part, at) => ({
      ...base,
      id: String(at),
      ...(typeof part === "string" ? { type: "text", text: part } : part),
    }));
    return messageFromWire({ ...message, content: typed });
  });
  return { session: sessionFromWire({ id, ...labels, ...more }), messages };
}

const alone = (...drafts: readonly Draft[]): Lineage => ({
  root: content("s", drafts),
  descendants: [],
});
const call = (call_id: string, more: object = {}) => ({
  type: "tool_call",
  call_id,
  name: "shell",
  params: {},
  provider_executed: false,
  ...more,
});
const result = (call_id: string, value: unknown = "ok", is_failure = false) => ({
  type: "tool_result",
  call_id,
  is_failure,
  result: value,
});
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };

type Written = {
  readonly info: Readonly<Record<string, unknown>>;
  readonly messages: readonly {
    readonly info: Readonly<Record<string, unknown>>;
    readonly parts: readonly Readonly<Record<string, unknown>>[];
  }[];
};

function write(lineage: Lineage, parents?: readonly NativeParent[]): readonly Written[] {
  const files = restoredFiles(writeForeign(lineage, {}, parents));
  expect(opencodeProblems(files)).toEqual([]);
  return [...files.values()].map((bytes) => JSON.parse(Buffer.from(bytes).toString()));
}

function fidelity(lineage: Lineage): Fidelity | undefined {
  return writeForeign(lineage, {}).next().value?.fidelity;
}

/** The messages of a session, in short. */
function messages(lineage: Lineage): readonly string[] {
  return (write(lineage)[0]?.messages ?? []).map(({ info, parts }) => {
    const shown = parts.filter(({ type }) => !String(type).startsWith("step-"));
    return `${info["role"]}: ${shown.map(short).join(" | ")}`;
  });
}

function short(part: Readonly<Record<string, unknown>>): string {
  const { type, text, synthetic, tool, state } = part;
  if (type === "text") return `${synthetic ? "(given) " : ""}${text}`;
  if (type !== "tool" || typeof state !== "object" || state === null) return String(type);
  const { status, output, error, attachments } = {
    output: "",
    error: "",
    attachments: [],
    ...state,
  } as {
    readonly status?: string;
    readonly output: string;
    readonly error: string;
    readonly attachments: readonly unknown[];
  };
  return `${tool} ${status}: ${output || error}${attachments.length > 0 ? " + image" : ""}`;
}

it("writes the reviewed files for a session of every part type (`-u` writes them)", async () => {
  const files = Array.from(
    writeForeign(sampleLineage(), {}),
    ({ path, content, fidelity }) =>
      `${path}\n${Array.from(content, String).join("")}${JSON.stringify(fidelity ?? null)}\n`,
  );

  const golden = new URL("../../../fixtures/opencode/_foreign/expected.txt", import.meta.url);
  await expect(files.join("\n")).toMatchFileSnapshot(fileURLToPath(golden));
});

it("puts every tool result into the part of its call", () => {
  const lineage = alone(
    ["user", "list the files"],
    ["assistant", "I will look", call("a"), call("b"), call("c"), call("d")],
    [
      "tool",
      result("c", "of c", true),
      result("a", "of a"),
      result("b", [{ type: "text", text: "of b" }, image]),
    ],
    ["assistant", "done"],
  );

  expect(messages(lineage)).toEqual([
    "user: list the files",
    "assistant: I will look | shell completed: of a | shell completed: of b + image | shell error: of c | shell error: No result of this call was recorded.",
    "assistant: done",
  ]);
});

it("attaches images and PDF files from a tool result, and names other files", () => {
  const given = (mime: string) => ({
    type: "file",
    filename: "a",
    url: `data:${mime};base64,aGk=`,
  });
  const lineage = alone(
    ["user", "read"],
    ["assistant", call("a"), call("b")],
    [
      "tool",
      result("a", [{ type: "text", text: "ok" }, given("application/pdf"), given("font/otf")]),
      result("b", [given("image/png")], true),
    ],
  );

  const parts = write(lineage)[0]?.messages[1]?.parts ?? [];
  expect(parts.flatMap(({ state }) => (state === undefined ? [] : [state]))).toMatchObject([
    {
      status: "completed",
      output: "ok\n[File a, font/otf]",
      attachments: [
        { mime: "application/pdf", filename: "a", url: "data:application/pdf;base64,aGk=" },
      ],
    },
    { status: "error", error: "[Image, image/png]" },
  ]);
});

it("writes images of types that providers accept, and other files as text or by name", () => {
  const file = (media_type: string, text: string) => {
    const base64 = Buffer.from(text, "latin1").toString("base64");
    return { type: "file", media_type, data: { type: "bytes", base64 } };
  };
  const escaped = { type: "url", url: "data:text/plain,a%20thread" };
  const lineage = alone(
    [
      "user",
      file("application/octet-stream", "\x89PNG\r\n\x1a\n"),
      file("image/svg+xml", "<svg/>"),
      file("image/bmp", "BM\xff"),
      { type: "file", media_type: "text/plain", data: escaped },
      { type: "file", media_type: "image/png", data: { type: "url", url: "data:image/png" } },
      file("image/png", ""),
      { type: "file", media_type: "image/png", data: { type: "base64", text: "[removed]" } },
    ],
    ["assistant", call("a")],
    ["tool", result("a", [{ type: "image", mimeType: "image/svg+xml", data: "PHN2Zy8+" }])],
  );

  expect(messages(lineage)).toEqual([
    "user: file | (given) [File without a name, image/svg+xml]\n<svg/> | (given) [File without a name, image/bmp] | (given) [File without a name, text/plain]\na thread | (given) [File without a name, image/png] | (given) [File without a name, image/png] | (given) [File without a name, image/png]",
    "assistant: shell completed: [Image, image/svg+xml]",
  ]);
  expect(write(lineage)[0]?.messages[0]?.parts[0]).toMatchObject({
    mime: "image/png",
    url: "data:image/png;base64,iVBORw0KGgo=",
  });
  expect(fidelity(lineage)).toMatchObject({
    file: { kept: 1, translated: 2, dropped: 4 },
    tool_result: { kept: 0, translated: 1, dropped: 0 },
  });
});

it("names files that the model drew, and counts them as lost unless they lie elsewhere", () => {
  const drawn = (data: object) => ({ type: "file", media_type: "application/octet-stream", data });
  const lineage = alone(
    ["user", "draw"],
    [
      "assistant",
      drawn({ type: "bytes", base64: "iVBORw0KGgo=" }),
      drawn({ type: "url", url: "https://example.com/a" }),
    ],
  );

  expect(messages(lineage)[1]).toBe(
    "assistant: [File without a name, image/png] | [File: https://example.com/a]",
  );
  expect(fidelity(lineage)?.file).toEqual({ kept: 0, translated: 1, dropped: 1 });
});

it("marks no failure if the missing result belongs to a tool that the provider ran", () => {
  const lineage = alone(["user", "look"], ["assistant", call("a", { provider_executed: true })]);

  expect(messages(lineage)[1]).toBe(
    "assistant: shell completed: No result of this call was recorded.",
  );
});

it("shows nothing as typed that nobody typed", () => {
  const lineage = alone(
    ["system", "You weave."],
    ["user", { type: "text", text: "<env>", provenance: "injected" }, "Why?"],
    ["user", "And how?"],
    ["tool", result("lost", "of nobody")],
    ["assistant", "So."],
  );

  expect(messages(lineage)).toEqual([
    "user: (given) You weave. | (given) <env> | Why?",
    "user: And how? | (given) Result of a tool (lost):\nof nobody",
    "assistant: So.",
  ]);
});

it("writes a tool result without a call as its text and images", () => {
  const url = "data:image/png;base64,aGk=";
  const lineage = alone(
    ["user", "And how?"],
    [
      "tool",
      result("lost", [
        { type: "text", text: "shot" },
        image,
        { type: "audio", mimeType: "audio/wav", data: "aGk=" },
      ]),
    ],
    ["assistant", "So."],
  );

  const [prompt] = write(lineage)[0]?.messages ?? [];
  expect(prompt?.parts).toMatchObject([
    { type: "text", text: "And how?" },
    { type: "text", text: "Result of a tool (lost):\nshot", synthetic: true },
    { type: "file", mime: "image/png", url, synthetic: true },
    { type: "text", text: "[File without a name, audio/wav]", synthetic: true },
  ]);
  expect(fidelity(lineage)?.tool_result).toEqual({ kept: 0, translated: 1, dropped: 0 });
});

it("writes a prompt before an answer that has none, because the client needs it", () => {
  expect(messages(alone(["assistant", "Hello."]))).toEqual([
    "user: (given) This session was restored from codex.",
    "assistant: Hello.",
  ]);
});

it("keeps the order even if the clock went back: by time, and by id for old releases", () => {
  const [session] = write(alone(["user", "a"], ["assistant", "b"], ["user", "c"]));

  const infos = session?.messages.map(({ info }) => info) ?? [];
  expect(infos.map(({ time }) => time)).toEqual([
    { created: 1772355609000 },
    { created: 1772355609000, completed: 1772355609000 },
    { created: 1772355609000 },
  ]);
  const ids = infos.map(({ id }) => String(id));
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => /^msg_0{8}[0-9a-f]{4}[0-9A-Za-z]{14}$/.test(id))).toBe(true);
});

it("gives no id to another part as the session grows, because an import only adds", () => {
  const before = [
    ["user", "make"],
    ["assistant", "I look"],
  ] as const;
  const after = [...before, ["assistant", call("a"), call("b")], ["tool", result("a", [image])]];
  const later = [...after, ["assistant", "done"], ["user", "and now?"]];
  const partsOf = (drafts: readonly (readonly unknown[])[]) => {
    const messages = write(alone(...(drafts as readonly Draft[])))[0]?.messages ?? [];
    return messages.flatMap(({ parts }) => parts);
  };
  const places = (drafts: readonly (readonly unknown[])[]) =>
    partsOf(drafts).map(({ id, type, callID = "", text = "" }) => `${id} ${type} ${callID}${text}`);

  expect(places(after)).toEqual(expect.arrayContaining(places(before)));
  expect(places(later)).toEqual(expect.arrayContaining(places(after)));
  const ids = partsOf(later).map(({ id }) => String(id));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

it("reuses no id for messages said in place of an undone turn", () => {
  const grown = content("s", [
    ["user", "make"],
    ["assistant", "I look"],
    ["user", "old"],
    ["assistant", "old answer", call("a")],
    ["tool", result("a", [image])],
    ["user", "new"],
    ["assistant", "new answer", call("a")],
    ["tool", result("a", [image])],
    ["user", "more"],
  ]);
  const said = (from: number, to: number) => {
    const kept = grown.messages.filter((_, index) => index < from || index >= to);
    const [session] = write({ root: { ...grown, messages: kept }, descendants: [] });
    return (session?.messages ?? []).flatMap(({ info, parts }) => [
      `${info["id"]} ${info["role"]}`,
      ...parts.map((part) => `${part["id"]} ${short(part)}`),
    ]);
  };
  const idOf = (line: string) => line.split(" ")[0];
  const [before, after] = [said(5, 9), said(2, 5)];
  const known = new Set(before.map(idOf));
  const added = after.filter((line) => !known.has(idOf(line)));

  expect(before).toEqual(expect.arrayContaining(after.slice(0, 6)));
  expect(added).toEqual(after.slice(6));
  expect(after.map(idOf)).toHaveLength(new Set(after.map(idOf)).size);
  expect(after[6]).toMatch(/^msg_0{11}3\w{14} user$/);
});

it("names the parent of a sub-agent, but not of a fork", () => {
  const parent = { parent_session_id: "s" };
  const fork = { ...parent, options: { source: { relation: "fork" } } };

  const written = write({
    root: content("s", [["user", "a"]]),
    descendants: [
      content("agent", [["user", "b"]], parent),
      content("fork", [["user", "c"]], fork),
    ],
  });

  const [root] = written;
  expect(written.map(({ info }) => info["parentID"])).toEqual([
    undefined,
    root?.info["id"],
    undefined,
  ]);
});

it.each([
  ["a sub-agent", "ses_0123456789abAbCdEfGhIjKlMn", {}, true],
  ["no fork", "ses_0123456789abAbCdEfGhIjKlMn", { relation: "fork" }, false],
  ["no sub-agent if the parent's id is not the client's", "opencode:ses_1", {}, false],
])("names a parent session that the client has in %s", (_, id, source, isNamed) => {
  const parent = { session: content(id, []).session, path: `pond/${id}.json` };
  const root = content("below", [["user", "b"]], { parent_session_id: id, options: { source } });

  const [written] = write({ root, descendants: [] }, [parent]);

  expect(written?.info["parentID"]).toBe(isNamed ? id : undefined);
});

it("titles a session by its first typed text", () => {
  const titles = [
    alone(["user", { type: "text", text: "given", provenance: "injected" }, "  Why?\nmore"]),
    alone(["assistant", "Hello."]),
    alone(["user", "x".repeat(200)]),
    alone(["user", `${"x".repeat(98)}🧵🧵🧵`]),
    alone(["user", "🧵".repeat(100)]),
  ].map((lineage) => write(lineage)[0]?.info["title"]);

  expect(titles).toEqual([
    "Why?",
    "Session of codex",
    `${"x".repeat(99)}…`,
    `${"x".repeat(98)}🧵…`,
    "🧵".repeat(100),
  ]);
});

it("names the provider of a model, or the source client if the provider is unknown", () => {
  const from = (rest: object): Lineage => {
    const { root } = alone(["user", "a"], ["assistant", "b"]);
    const messages = root.messages.map((message) => ({
      ...message,
      options: { source: { rest } },
    }));
    return { root: { ...root, messages: messages as typeof root.messages }, descendants: [] };
  };

  const models = [
    { model: "claude-x" },
    { modelID: "gpt-x", providerID: "weaver" },
    { model: "m" },
  ].map((rest) => write(from(rest))[0]?.messages[0]?.info["model"]);

  expect(models).toEqual([
    { providerID: "anthropic", modelID: "claude-x" },
    { providerID: "weaver", modelID: "gpt-x" },
    { providerID: "codex", modelID: "m" },
  ]);
});

it("replaces lone surrogates, which providers refuse", () => {
  const [session] = write(alone(["user", "half \ud800 a \ud83e\uddf5 thread"]));

  expect(session?.messages[0]?.parts[0]?.["text"]).toBe("half \ufffd a 🧵 thread");
});
