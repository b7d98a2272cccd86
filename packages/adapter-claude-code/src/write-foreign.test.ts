import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { messageFromWire, sessionFromWire } from "@pond/canonical";
import type { Lineage, Meanings, SessionContent } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { writeForeign } from "./write-foreign.ts";

type Draft = readonly [role: string, ...parts: readonly (string | object)[]];

/** A session of another client; a part that is a string is a typed text. */
function content(id: string, drafts: readonly Draft[], more: object = {}): SessionContent {
  const created_at = "2026-03-01T09:00:00.000Z";
  const labels = { source_agent: "codex", created_at, project: "/home/ada/loom", options: {} };
  const messages = drafts.map(([role, ...parts], index) => {
    const timestamp = `2026-03-01T09:00:0${index}.000Z`;
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

const alone = (drafts: readonly Draft[]): Lineage => ({
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

/** No tool of the other client has a counterpart. */
const meanings: Meanings = {};

type Row = {
  readonly type: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly isMeta?: boolean;
  readonly message: {
    readonly role: string;
    readonly model?: string;
    readonly content: string | readonly Block[];
  };
};
type Block = { readonly type: string; readonly [key: string]: unknown };

function rows(lineage: Lineage): readonly Row[] {
  const [first] = restoredFiles(writeForeign(lineage, meanings)).values();
  return Buffer.from(first ?? [])
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The turns of a file, in short. */
function turns(lineage: Lineage): readonly string[] {
  return rows(lineage)
    .filter(({ uuid }) => uuid !== undefined)
    .map(({ isMeta, message }) => {
      const { content } = message;
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return `${message.role}${isMeta ? " (meta)" : ""}: ${blocks.map(short).join(" | ")}`;
    });
}

function short(block: Block): string {
  if (block.type === "text") return String(block["text"]);
  if (block.type === "tool_use") return `call ${block["id"]} ${block["name"]}`;
  if (block.type !== "tool_result") return block.type;
  const content = block["content"];
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return `result ${block["tool_use_id"]} ${block["is_error"] ? "failed " : ""}${text}`;
}

it("writes the reviewed files for a session of every part type (`UPDATE=1` writes them)", () => {
  const golden = fileURLToPath(
    new URL("../../../fixtures/claude-code/_foreign/expected.txt", import.meta.url),
  );
  const files = Array.from(
    writeForeign(sampleLineage(), meanings),
    ({ path, content, fidelity }) =>
      `${path}\n${Array.from(content, String).join("")}\n${JSON.stringify(fidelity ?? null)}\n`,
  );

  if (process.env["UPDATE"] === "1") {
    mkdirSync(dirname(golden), { recursive: true });
    writeFileSync(golden, files.join("\n"));
  }
  expect(files.join("\n").split("\n")).toEqual(readFileSync(golden, "utf8").split("\n"));
});

it("writes every tool result right after the turn that made the call", () => {
  const lineage = alone([
    ["user", "list the files"],
    ["assistant", "I will look", call("a")],
    ["assistant", call("b"), call("c")],
    ["user", "quickly"],
    ["tool", result("c", "of c"), result("a", "of a")],
    ["assistant", "done"],
  ]);

  expect(turns(lineage)).toEqual([
    "user: list the files",
    "assistant: I will look",
    "assistant: call a shell",
    "assistant: call b shell",
    "assistant: call c shell",
    "user: result a of a",
    "user: result b failed No result of this call was recorded.",
    "user: result c of c",
    "user: quickly",
    "assistant: done",
  ]);
});

it("gives each call a unique id that the client accepts", () => {
  const lineage = alone([
    ["user", "go"],
    ["assistant", call("x|1"), call("x|1"), call("call_1"), call("call_2"), call("")],
    ["tool", result("x|1", "first"), result("x|1", "second"), result("call_1"), result("")],
  ]);
  const ids = turns(lineage).flatMap((turn) => /call ([\w-]+) shell/.exec(turn)?.[1] ?? []);
  const answered = turns(lineage).flatMap((turn) => /result ([\w-]+)/.exec(turn)?.[1] ?? []);

  expect(ids).toEqual(["x-1", "x-1-2", "call-1", "call-2", "call"]);
  expect(answered).toEqual(ids);
  expect(turns(lineage)).toContain("user: result x-1-2 second");
});

it("turns content that the API refuses into a form that it accepts", () => {
  const image = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
  const lineage = alone([
    ["system", "You weave."],
    ["user", { type: "text", text: "rules", provenance: "injected" }, "typed"],
    ["user", " \n "],
    [
      "assistant",
      { type: "reasoning", text: "hm" },
      "",
      call("a", { name: "fs.read", params: [] }),
    ],
    ["tool", result("a", "", true), result("lost", { a: 1 })],
    ["assistant", call("b"), call("c"), call("d")],
    [
      "tool",
      result("b", [
        { type: "text", text: "seen" },
        { type: "image", source: image },
      ]),
    ],
    ["tool", result("c", [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }])],
    ["tool", result("d", [{ type: "mystery" }])],
  ]);

  expect(turns(lineage)).toEqual([
    "user (meta): You weave.",
    "user (meta): rules",
    "user: typed",
    "assistant: call a fs_read",
    "user: result a failed (no output)",
    'user (meta): Result of a tool (lost):\n{"a":1}',
    "assistant: call b shell",
    "assistant: call c shell",
    "assistant: call d shell",
    `user: result b [{"type":"text","text":"seen"},{"type":"image","source":${JSON.stringify(image)}}]`,
    `user: result c [{"type":"image","source":${JSON.stringify(image)}}]`,
    'user: result d {"type":"mystery"}',
  ]);
});

it("keeps images and documents, and names the files that it cannot keep", () => {
  const file = (media_type: string, data: object) => ({ type: "file", media_type, data });
  const bytes = (text: string) => ({ type: "bytes", base64: Buffer.from(text).toString("base64") });
  const [user] = rows(
    alone([
      [
        "user",
        file("image/png", bytes("png")),
        file("application/pdf", bytes("pdf")),
        file("text/csv", bytes("a,b")),
        file("image/png", { type: "url", url: "data:image/png;base64,cG5n" }),
        file("image/png", { type: "url", url: "https://example.org/a.png" }),
        file("application/zip", bytes("zip")),
        file("image/png", { type: "base64", text: "cG5n" }),
        file("image/png", bytes("")),
        file("application/pdf", bytes("")),
        file("application/octet-stream", bytes("GIF89a")),
      ],
    ]),
  );
  const png = { type: "base64", media_type: "image/png", data: "cG5n" };

  expect(user?.message.content).toEqual([
    { type: "image", source: png },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: "cGRm" } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" } },
    { type: "image", source: png },
    { type: "text", text: "[File: https://example.org/a.png]" },
    { type: "text", text: "[File without a name, application/zip]" },
    { type: "image", source: png },
    { type: "text", text: "[File without a name, image/png]" },
    { type: "text", text: "[File without a name, application/pdf]" },
    { type: "image", source: { type: "base64", media_type: "image/gif", data: "R0lGODlh" } },
  ]);
});

it("writes a tool result without a call as its text and images", () => {
  const image = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
  const lineage = alone([
    ["user", "look"],
    [
      "tool",
      result("lost", [
        { type: "text", text: "shot" },
        { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
        { type: "audio", mimeType: "audio/wav", data: "aGk=" },
      ]),
    ],
  ]);

  expect(rows(lineage).find(({ isMeta }) => isMeta)?.message.content).toEqual([
    { type: "text", text: "Result of a tool (lost):\nshot" },
    { type: "image", source: image },
    { type: "text", text: "[File without a name, audio/wav]" },
  ]);
  const [file] = [...writeForeign(lineage, meanings)];
  expect(file?.fidelity?.tool_result).toEqual({ kept: 0, translated: 1, dropped: 0 });
});

it("names an image whose data is no image, in a prompt or a tool result", () => {
  const removed = "[image data removed]";
  const source = { type: "base64", media_type: "image/png", data: removed };
  const lineage = alone([
    ["user", { type: "file", media_type: "image/png", data: { type: "base64", text: removed } }],
    ["assistant", call("a")],
    [
      "tool",
      result("a", [
        { type: "text", text: "seen" },
        { type: "image", source },
      ]),
    ],
  ]);

  expect(turns(lineage)).toEqual([
    "user: [File without a name, image/png]",
    "assistant: call a shell",
    'user: result a [{"type":"text","text":"seen"},{"type":"text","text":"[File without a name, image/png]"}]',
  ]);
  expect([...writeForeign(lineage, meanings)][0]?.fidelity).toMatchObject({
    file: { kept: 0, translated: 0, dropped: 1 },
    tool_result: { kept: 0, translated: 1, dropped: 0 },
  });
});

it.each([
  ["a web address", "https://example.org/a.zip", "translated"],
  ["a data URL in upper case", "DATA:application/zip;base64,aGk=", "dropped"],
  ["a data URL without content", "data:application/zip", "dropped"],
])("counts %s by how much of the file is left", (_, url, outcome) => {
  const file = { type: "file", media_type: "application/zip", data: { type: "url", url } };
  const [restored] = writeForeign(alone([["user", file]]), meanings);

  expect(restored?.fidelity?.file).toEqual({ kept: 0, translated: 0, dropped: 0, [outcome]: 1 });
});

it("writes PDF files in a tool result as documents, and names other files", () => {
  const source = { type: "base64", media_type: "application/pdf", data: "cGRm" };
  const url = "data:application/pdf;base64,cGRm";
  const given = (value: unknown) =>
    alone([
      ["assistant", call("a")],
      ["tool", result("a", value)],
    ]);
  const answers = [
    [{ type: "file", filename: "a.pdf", url }],
    [{ type: "document", source: { ...source, media_type: "application/zip" } }],
    [{ type: "image", mimeType: "image/tiff", data: "aGk=" }],
  ].map(given);

  expect(answers.map((lineage) => turns(lineage).at(-1))).toEqual([
    `user: result a [${JSON.stringify({ type: "document", source, title: "a.pdf" })}]`,
    'user: result a [{"type":"text","text":"[File without a name, application/zip]"}]',
    'user: result a [{"type":"text","text":"[Image, image/tiff]"}]',
  ]);
  const counts = answers.map((lineage) => [...writeForeign(lineage, meanings)][0]?.fidelity);
  expect(counts.map((each) => each?.tool_result?.kept)).toEqual([1, 0, 0]);
});

it.each([
  "claude-opus-5",
  "claude-opus-4-6",
  "claude-sonnet-4-20250514",
  "claude-sonnet-4-5-20250929",
  "claude-3-opus-20240229",
  "claude-3-5-sonnet-20241022",
  "claude-3-7-sonnet-latest",
])("keeps the source's model if the client's API knows it: %s", (model) => {
  expect(modelAfter(model)).toBe(model);
});

it.each([
  "claude-opus-4.6",
  "claude-3.5-sonnet",
  "anthropic/claude-sonnet-4.5",
  "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "claude-sonnet-4-5@20250929",
  "claude-opus-4-5-thinking",
  "antigravity-claude-sonnet-4-5",
  "<synthetic>",
  "gpt-5",
])("names the source client in place of a model that the API does not know: %s", (model) => {
  expect(modelAfter(model)).toBe("codex");
});

/** The model of the copy of an answer. */
function modelAfter(model: string): string | undefined {
  const { session, messages } = content("s", [
    ["user", "Why?"],
    ["assistant", "Because."],
  ]);
  const answered = messages.map((message) => ({ ...message, options: { source: { model } } }));
  return rows({ root: { session, messages: answered }, descendants: [] })[1]?.message.model;
}

it("marks no failure if the missing result belongs to a tool that the provider ran", () => {
  const lineage = alone([
    ["assistant", call("a", { provider_executed: true }), call("b")],
    ["user", "And?"],
  ]);

  expect(turns(lineage).slice(-3, -1)).toEqual([
    "user: result a No result of this call was recorded.",
    "user: result b failed No result of this call was recorded.",
  ]);
});

it("links every row to the row before and begins with a user row", () => {
  const written = rows(
    alone([
      ["assistant", "hello", call("a")],
      ["user", "hi"],
    ]),
  );
  const linked = written.filter(({ uuid }) => uuid !== undefined);

  expect(linked.map(({ parentUuid }) => parentUuid)).toEqual([
    null,
    ...linked.slice(0, -1).map(({ uuid }) => uuid),
  ]);
  expect(new Set(linked.map(({ uuid }) => uuid)).size).toBe(linked.length);
  expect(turns(alone([["assistant", "hello"]]))[0]).toBe(
    "user (meta): This session was restored from codex.",
  );
  expect(turns(alone([]))).toEqual(["user (meta): This session was restored from codex."]);
});

it("replaces a lone surrogate, and leaves pairs and typed escapes as they are", () => {
  const [user] = rows(alone([["user", "a \ud83d b 😀 c \\ud83d"]]));

  expect(user?.message.content).toBe("a \ufffd b 😀 c \\ud83d");
});

it("puts sub-agents below the session that started them, and forks beside it", () => {
  const lineage = {
    root: content("root", [["user", "r"]]),
    descendants: [
      content("agent", [["user", "look"]], { parent_session_id: "root" }),
      content("deeper", [["user", "deeper"]], { parent_session_id: "agent" }),
      content("fork", [["user", "f"]], { parent_session_id: "root", parent_message_id: "m0" }),
      content("of-fork", [["user", "o"]], { parent_session_id: "fork" }),
    ],
  };
  const files = writeForeign(lineage, meanings);
  const places = Array.from(files, ({ session, path }) => {
    const [, , folder = "", ...below] = path.split("/");
    return { session, folder: folder.replace(".jsonl", ""), below: below.join("/") };
  });
  const [root, fork] = ["root", "fork"].map((id) => {
    return places.find(({ session }) => session === id)?.folder;
  });
  const log = expect.stringMatching(/^subagents\/agent-a[0-9a-f]{16}\.jsonl$/);
  const meta = expect.stringMatching(/^subagents\/agent-a[0-9a-f]{16}\.meta\.json$/);

  expect(fork).not.toBe(root);
  expect(places).toEqual([
    { session: "root", folder: root, below: "" },
    { session: "agent", folder: root, below: log },
    { session: "agent", folder: root, below: meta },
    { session: "deeper", folder: root, below: log },
    { session: "deeper", folder: root, below: meta },
    { session: "fork", folder: fork, below: "" },
    { session: "of-fork", folder: fork, below: log },
    { session: "of-fork", folder: fork, below: meta },
  ]);
});

it("gives a copy its own id, the same each time", () => {
  const uuid = "5e551000-0000-4000-8000-00000000000a";
  const path = (id: string) => {
    const lineage = { root: content(id, [["user", "x"]]), descendants: [] };
    const [file] = writeForeign(lineage, meanings);
    return file?.path.split("/").at(-1);
  };

  // Under its own id it would be synced into the original.
  expect(path(uuid)).not.toBe(`${uuid}.jsonl`);
  for (const id of [uuid, "../../x"]) {
    expect(path(id)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.jsonl$/,
    );
    expect(path(id)).toBe(path(id));
  }
});
