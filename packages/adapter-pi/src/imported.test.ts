import type { JsonValue } from "@pond/canonical";
import { partsOf } from "@pond/canonical";
import { sourceOf, type TextSplitter } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();

/** As omp 18.2.3 writes them. */
const note = (source: string, sourceId: JsonValue): JsonValue => ({
  ...{ type: "custom", id: "5f117484", parentId: null, timestamp: "2026-11-23T02:43:49.045Z" },
  customType: "foreign_session_import",
  data: { source, sourceId, sourcePath: "/x/y.jsonl", sourceCwd: "/home/ada/loom" },
});
const say = (id: string, content: JsonValue, more: Record<string, JsonValue> = {}) =>
  message(id, null, { role: "user", content, ...more });
const title: JsonValue = { type: "title_change", id: "aaaaaaaa", title: "x", source: "auto" };
const model: JsonValue = { type: "model_change", id: "claude-u2-model", model: "anthropic/x" };

function put(id: string, records: readonly JsonValue[], fields: Record<string, JsonValue> = {}) {
  home.put(`${project}/${logName(id)}`, [header(id, fields), ...records]);
}

/** What is in angle brackets is another client's. */
const cut: TextSplitter = (text) => {
  const end = text.lastIndexOf(">") + 1;
  const typed = { end: text.length, kind: undefined };
  if (end === 0) return [typed];
  return end === text.length ? [{ end, kind: "tag" }] : [{ end, kind: "tag" }, typed];
};

describe("a log that omp imported from another client", () => {
  it.each<[string, readonly JsonValue[], Record<string, JsonValue>, unknown]>([
    [
      "names its original session",
      [say("claude-u1-message-1", "hi"), note("claude", "c1")],
      {},
      "c1",
    ],
    ["begins with a title", [title, model, say("codex-2", "hi"), note("codex", "t1")], {}, "t1"],
    ["holds only the import note", [note("claude", "c1")], {}, "c1"],
    [
      "goes on after the import",
      [say("claude-u1-user-0-1", "hi"), note("claude", "c1"), say("b1b1b1b1", "on")],
      {},
      "c1",
    ],
    [
      "names a number in place of a session",
      [say("codex-1", "hi"), note("codex", 5)],
      {},
      undefined,
    ],
    [
      "was forked from another session",
      [say("codex-1", "hi"), note("codex", "t1")],
      { parentSession: "o" },
      "o",
    ],
    [
      "has a message id that no import gives",
      [say("aaaa1111", "hi"), note("claude", "c1")],
      {},
      undefined,
    ],
  ])(
    "has the parent that its records name, if any: one that %s",
    async (_, records, fields, parent) => {
      put("s", records, fields);

      const { contents } = await readHome(fromOmp(home.path));

      const [session] = contents.map((content) => content.session);
      expect(session?.parent_session_id).toBe(parent);
      expect(session && sourceOf(session)["relation"]).toBe(parent && "fork");
    },
  );

  it("counts as no import in pi, which imports none", async () => {
    put("s", [say("codex-1", "<a>b"), note("codex", "t1")]);

    const { contents } = await readHome(fromPi(home.path, { prompts: { codex: cut } }));

    expect(contents[0]?.session.parent_session_id).toBeUndefined();
    expect(contents[0]?.messages.flatMap(partsOf)).toHaveLength(1);
  });

  it("tells words of the original client from typed ones in its messages (`model-part-provenance`)", async () => {
    const failed = { stopReason: "error", provider: "anthropic" };
    const answer = (id: string, name: string) => {
      const content = [{ type: "text", text: "<b>" }];
      return message(id, null, { role: "assistant", content, model: name, ...failed });
    };
    const records = [
      say("claude-u1-message-1", "<a>why?"),
      say("claude-u2-user-0-2", [
        { type: "text", text: "<a>" },
        { type: "text", text: "so" },
      ]),
      say("claude-line-3-message-3", "plain"),
      answer("claude-u4-message-4", "<synthetic>"),
      answer("claude-u5-message-5", "opus"),
      say("codex-6", "<a>mine"),
      note("claude", "c1"),
      say("b1b1b1b1", "<a>typed"),
    ];
    put("s", records);

    const { contents, lineages } = await readHome(fromOmp(home.path, { prompts: { claude: cut } }));

    const parts = contents.flatMap(({ messages }) => messages.flatMap(partsOf));
    const texts = parts.map((part) => [part.type === "text" && part.text, part.provenance[0]]);
    expect(texts.map((each) => each.join(" "))).toEqual([
      ...["<a> i", "why? c", "<a> i", "so c", "plain c", "<b> i", "<b> c", "<a>mine c"],
      "<a>typed c",
    ]);
    const [lineage] = lineages;
    const [file] = lineage ? [...toOmp.writeNative(lineage)] : [];
    const restored = [...(file?.content ?? [])].join("").trimEnd().split("\n");
    expect(restored.map((line) => JSON.parse(line))).toEqual([header("s"), ...records]);
  });
});
