import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentOf, readSource, restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { isJsonObject, messageFromWire, partsOf, sessionFromWire } from "@pond/canonical";
import type {
  Fidelity,
  Lineage,
  Meanings,
  RecordRules,
  SessionContent,
} from "@pond/canonical/adapter";
import { copyUuid } from "@pond/canonical/foreign";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromPhiCore } from "./from-phi-core.ts";
import { phiCoreProblems } from "./problems.ts";
import { writeForeign } from "./write-foreign.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-phi-core-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const meanings: Meanings = {
  readTool: (_, { name }) =>
    name === "agent spawn" ? { kind: "agent", fields: { prompt: "" }, rest: {} } : undefined,
};

type Draft = readonly [role: string, ...parts: readonly object[]];

function content(id: string, drafts: readonly Draft[], parent?: string): SessionContent {
  const session = sessionFromWire({
    id,
    ...(parent !== undefined && { parent_session_id: parent }),
    source_agent: "codex",
    created_at: parent === undefined ? "2026-03-01T09:00:00.000Z" : "2026-03-01T09:00:08.000Z",
    project: "/home/ada/loom",
    options: {},
  });
  const messages = drafts.map(([role, ...parts], index) => {
    const place = { session_id: id, options: {} };
    const named = parts.map((part, at) => {
      const base = { ...place, message_id: `m${index}`, id: `${at}` };
      return { ...base, provenance: "conversational", ...part };
    });
    const timestamp = `2026-03-01T09:00:0${index}.000Z`;
    return messageFromWire({ ...place, id: `m${index}`, role, timestamp, content: named });
  });
  return { session, messages };
}

const text = (said: string, provenance = "conversational") => ({
  type: "text",
  text: said,
  provenance,
});
const call = (call_id: string, more: object = {}) => {
  const base = { type: "tool_call", call_id, name: "agent spawn", params: {} };
  return { ...base, provider_executed: false, ...more };
};
const file = (media_type: string, bytes: string) => {
  const base64 = Buffer.from(bytes, "latin1").toString("base64");
  return { type: "file", media_type, data: { type: "bytes", base64 } };
};

/** A lineage written, and read again: the texts of each session, injected ones in brackets. */
async function readBack(lineage: Lineage): Promise<readonly (readonly string[])[]> {
  const files = restoredFiles(writeForeign(lineage, meanings));
  expect(phiCoreProblems(files)).toEqual([]);
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes);
  const found = await readSource(fromPhiCore(folder));
  return [lineage.root, ...lineage.descendants].map(({ session }) => {
    const events = found.get(`${copyUuid("phi-core", session.id)}.json`) ?? [];
    return contentOf(events).messages.flatMap((message) =>
      partsOf(message).flatMap((part) => {
        if (part.type !== "text") return [];
        return [part.provenance === "injected" ? `(${part.text})` : part.text];
      }),
    );
  });
}

function fidelityOf(lineage: Lineage): Fidelity | undefined {
  const [first] = [...writeForeign(lineage, meanings)];
  return first?.fidelity;
}

const lineage: Lineage = {
  root: content("root", [
    ["user", text("be brief", "injected"), text("Weave.")],
    ["assistant", call("a"), call("b")],
    ["user", text("still brief", "injected"), text("And the hem?")],
    ["assistant", text("Hemmed."), call("c")],
  ]),
  descendants: [
    content("child", [["user", text("Look at the hem.", "injected")]], "root"),
    content("other", [["user", text("Look again.", "injected")]], "root"),
  ],
};

/** Of each loop its prompt, its calls and the sessions they opened. */
function loopsOf(of: Lineage, rules = meanings): unknown {
  const [bytes] = [...restoredFiles(writeForeign(of, rules)).values()];
  const document = JSON.parse(Buffer.from(bytes ?? []).toString());
  return document.loops.map(
    ({ messages, child_loop_refs, ...loop }: Readonly<Record<string, readonly unknown[]>>) => ({
      kind: loop["continuation_kind"],
      parent: loop["parent_loop_id"],
      messages: messages?.length,
      children: child_loop_refs,
    }),
  );
}

const childRef = (id: string, callId: string) => ({
  tool_call_id: callId,
  tool_name: callId === "" ? "" : "agent_spawn",
  child_loop_id: `${copyUuid("phi-core", id)}.pond.1`,
  child_session_id: copyUuid("phi-core", id),
});

it("writes a message as often as it was said, even if at one time", async () => {
  // A clock of whole seconds, or a client that rewrites its times.
  const drafts: readonly Draft[] = [
    ["user", text("Engage!")],
    ["assistant", text("API Error")],
    ["assistant", text("API Error")],
  ];
  const { session, messages } = content("root", [...drafts, ...drafts, ["user", text("On.")]]);
  const at = session.created_at;
  const root = { session, messages: messages.map((each) => ({ ...each, timestamp: at })) };

  const loop = ["Engage!", "API Error", "API Error"];
  expect(await readBack({ root, descendants: [] })).toEqual([[...loop, ...loop, "On."]]);
});

it("writes one loop for each prompt and links sub-agents to their loop", () => {
  expect(loopsOf(lineage)).toEqual([
    { kind: "Initial", parent: null, messages: 5, children: [] },
    {
      kind: "Initial",
      parent: null,
      messages: 4,
      children: [childRef("child", ""), childRef("other", "")],
    },
  ]);
});

describe("a sub-agent is linked to the call", () => {
  const answer = (call_id: string, result: unknown, more: object = {}) => {
    const base = { type: "tool_result", call_id, name: "agent spawn", provenance: "injected" };
    return { ...base, is_failure: false, result, ...more };
  };
  const beside = (id: string) => ({ options: { source: { details: { results: [{ id }] } } } });
  const linked = (calls: readonly object[], ...ids: readonly string[]) => {
    const root = content("root", [
      ["user", text("Weave.")],
      ["assistant", ...calls],
    ]);
    const descendants = ids.map((id) => content(id, [["user", text("Look.", "injected")]], "root"));
    const refs = { root, descendants };
    return (loopsOf(refs) as { readonly children: unknown }[]).map(({ children }) => children);
  };

  it.each([
    ["its parameters", call("b", { params: { session: "child" } })],
    ["its options", call("b", { options: { source: { agent: "child" } } })],
    ["its result", [call("b"), answer("b", "child: done")]],
    ["the options of its result", [call("b"), answer("b", "", { options: { id: "child" } })]],
  ])("that names it first, by %s", (_, named) => {
    const calls = [call("a"), named, call("c", { params: { session: "child" } })].flat();

    expect(linked(calls, "child")).toEqual([[childRef("child", "b")]]);
  });

  it.each([
    ["two calls and two agents", [call("a"), call("b")], ["a", "b"]],
    ["one call and two agents", [call("a")], ["", ""]],
    ["three calls and two agents", [call("a"), call("b"), call("c")], ["", ""]],
  ])(
    "at its position, only if none is named and there are as many calls as agents: %s",
    (_, calls, [first = "", second = ""]) => {
      expect(linked(calls, "child", "other")).toEqual([
        [childRef("child", first), childRef("other", second)],
      ]);
    },
  );

  it("that names it, and an unnamed one then to none", () => {
    const named = call("a", { params: { session: "other" } });

    expect(linked([named, call("b")], "child", "other")).toEqual([
      [childRef("child", ""), childRef("other", "a")],
    ]);
  });

  /** The links of a session whose calls ask for these prompts, to agents that begin with these texts. */
  const asked = (calls: readonly object[], begins: readonly string[], rules: RecordRules = {}) => {
    const root = content("root", [
      ["user", text("Weave.")],
      ["assistant", ...calls],
    ]);
    const descendants = begins.map((said, index) => {
      return content(`child-${index + 1}`, [["user", text(said, "injected")]], "root");
    });
    const readTool: Meanings["readTool"] = (_, { params }) => {
      return { kind: "agent", fields: isJsonObject(params) ? params : {}, rest: {} };
    };
    const of: Meanings = { readTool, recordRulesOf: () => rules };
    const [loop] = loopsOf({ root, descendants }, of) as { readonly children: unknown }[];
    return loop?.children;
  };
  const asks = (call_id: string, prompt: string, more = {}) =>
    call(call_id, { params: { prompt, ...more } });
  const names = (callId: string, agent: string, prompt = "") => asks(callId, prompt, { agent });

  it.each<[string, readonly object[], readonly string[], readonly string[]]>([
    [
      "beside a call that names another agent",
      [names("a", "child-1"), asks("b", "Hem.")],
      ["Weft.", "Hem."],
      ["a", "b"],
    ],
    ["with more calls than agents", [asks("a", "Dye."), asks("b", "Hem.")], ["Hem."], ["b"]],
    [
      "with agents in another order than calls",
      [asks("a", "Dye."), asks("b", "Hem.")],
      ["Hem.", "Dye."],
      ["b", "a"],
    ],
    [
      "and another agent to the only call left",
      [asks("a", "Dye."), asks("b", "Hem.")],
      ["Hem.", "?"],
      ["b", "a"],
    ],
    [
      "but not if that call names another agent",
      [names("a", "child-1", "Hem.")],
      ["Weft.", "Hem."],
      ["a", ""],
    ],
    [
      "but not if two calls have the same prompt",
      [asks("a", "Hem."), asks("b", "Hem.")],
      ["Hem."],
      [""],
    ],
    ["but not if two agents begin alike", [asks("a", "Hem.")], ["Hem.", "Hem."], ["", ""]],
    ["but not if it begins with an empty text", [asks("a", ""), asks("b", "Hem.")], [""], [""]],
  ])("whose prompt it begins with, %s", (_, calls, begins, linked) => {
    expect(asked(calls, begins)).toEqual(
      linked.map((callId, index) => childRef(`child-${index + 1}`, callId)),
    );
  });

  it.each<[string, readonly object[], readonly string[], readonly string[]]>([
    ["with each of its logs", [asks("a", "Dye."), asks("b", "Hem.")], ["Hem.", "Hem."], ["b", "b"]],
    [
      "but not if two calls have the same prompt",
      [asks("a", "Hem."), asks("b", "Hem.")],
      ["Hem."],
      [""],
    ],
    [
      "with its second log even if the call names the first",
      [names("a", "child-1", "Hem.")],
      ["Hem.", "Hem."],
      ["a", "a"],
    ],
    [
      "but not to a call that names another agent",
      [names("a", "child-1", "Hem."), asks("b", "Hem.")],
      ["Weft.", "Hem."],
      ["a", "b"],
    ],
    [
      "and an agent whose prompt is unknown to none",
      [asks("a", "Dye."), asks("b", "Hem.")],
      ["Hem.", "?"],
      ["b", ""],
    ],
  ])("whose prompt its client wrapped, %s", (_, calls, prompts, linked) => {
    const begins = prompts.map((prompt) => `<message>${prompt}</message>`);
    const agentPrompt: RecordRules["agentPrompt"] = ({ messages }) => {
      const [part] = messages.flatMap(partsOf);
      return part?.type === "text" ? /^<message>(\w.*)<\/message>/.exec(part.text)?.[1] : undefined;
    };

    expect(asked(calls, begins, { agentPrompt })).toEqual(
      linked.map((callId, index) => childRef(`child-${index + 1}`, callId)),
    );
  });

  it("that names it first; a later call that names it gets no other agent", () => {
    const root = content("root", [
      ["user", text("Weave.")],
      ["assistant", names("a", "child")],
      ["user", text("And the hem?")],
      ["assistant", names("b", "child")],
    ]);
    const descendants = ["child", "other"].map((id) => content(id, [], "root"));

    expect(loopsOf({ root, descendants })).toMatchObject([
      { children: [childRef("child", "a")] },
      { children: [childRef("other", "")] },
    ]);
  });

  it("that has its label as a whole value, not within a longer text", () => {
    const label = (name: string) => ({ params: { name, task: "Ask Ruler" } });
    const root = content("root", [
      ["user", text("Weave.")],
      ["assistant", call("a", label("Measurer")), call("b"), answer("b", "", beside("Ruler"))],
    ]);
    const descendants = ["Measurer", "Ruler", "Tan-1"].map((id) => content(id, [], "root"));
    const labelled: Meanings = {
      ...meanings,
      recordRulesOf: () => ({ agentNames: () => [], agentLabel: ({ session: { id } }) => id }),
    };

    expect(loopsOf({ root, descendants }, labelled)).toMatchObject([
      { children: [childRef("Measurer", "a"), childRef("Ruler", "b"), childRef("Tan-1", "")] },
    ]);
  });

  it("in the order in which sub-agents began, whatever their ids are", () => {
    const root = content("root", [
      ["user", text("Weave.")],
      ["assistant", call("a"), call("b")],
    ]);
    const descendants = [9n, 8n].map((second, index) => {
      const { session, messages } = content(`child-${index}`, [], "root");
      const created_at = session.created_at + second * 1_000_000n;
      return { session: { ...session, created_at }, messages };
    });

    expect(loopsOf({ root, descendants })).toMatchObject([
      { children: [childRef("child-0", "b"), childRef("child-1", "a")] },
    ]);
  });
});

it.each([
  ["by its own id", "parent.json", "parent"],
  ["by no id if its file has another name", "phi-core_parent.json", undefined],
])("names a parent session that the library wrote %s", async (_, path, expected) => {
  const parents = [{ session: content("parent", []).session, path }];
  const root = content("child", [["user", text("Look at the hem.")]], "parent");

  const files = restoredFiles(writeForeign({ root, descendants: [] }, {}, parents));
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, path), "{}");

  expect(phiCoreProblems(files)).toEqual([]);
  const [copy] = files.keys();
  const events = (await readSource(fromPhiCore(folder))).get(copy ?? "") ?? [];
  expect(contentOf(events).session.parent_session_id).toBe(expected);
});

it("writes sessions that are read back with the same words, harness text still injected (`model-part-provenance`)", async () => {
  expect(await readBack(lineage)).toEqual([
    [
      "([Restored context] be brief)",
      "Weave.",
      "([Restored context] still brief)",
      "And the hem?",
      "Hemmed.",
    ],
    ["([Restored context] Look at the hem.)"],
    ["([Restored context] Look again.)"],
  ]);
});

it("writes a session that is read back in its order even if a clock went back", async () => {
  const drafts: Draft[] = [
    ["user", text("Warp it.")],
    ["assistant", text("Warped.")],
    ["user", text("Weave it.")],
    ["user", text("Hem it.")],
  ];
  const { session, messages } = content("s", drafts);
  const [first, ...others] = messages.toReversed().map(({ timestamp }) => timestamp);
  const turned = messages.map((message, index) => {
    return { ...message, timestamp: [first, first, ...others][index] ?? message.timestamp };
  });

  expect(await readBack({ root: { session, messages: turned }, descendants: [] })).toEqual([
    ["Warp it.", "Warped.", "Weave it.", "Hem it."],
  ]);
});

it("writes files as images, as text or by name", async () => {
  const files = [file("image/png", "png"), file("text/plain", "warp"), file("font/otf", "\xff")];
  const only = { root: content("s", [["user", ...files]]), descendants: [] };

  expect(await readBack(only)).toEqual([
    ["[File without a name, text/plain]\nwarp", "[File without a name, font/otf]"],
  ]);
  expect(fidelityOf(only)).toEqual({ file: { kept: 1, translated: 1, dropped: 1 } });
});

it("writes the files in a tool result by name", () => {
  const given = { type: "file", filename: "a.pdf", url: "data:application/pdf;base64,aGk=" };
  const answer = { type: "tool_result", call_id: "a", is_failure: false, result: [given] };
  const only = {
    root: content("s", [
      ["assistant", call("a")],
      ["tool", answer],
    ]),
    descendants: [],
  };

  const [bytes] = restoredFiles(writeForeign(only, meanings)).values();
  const [loop] = JSON.parse(Buffer.from(bytes ?? []).toString()).loops;
  expect(loop.messages.at(-1).content).toEqual([
    { type: "text", text: "[File a.pdf, application/pdf]" },
  ]);
  expect(fidelityOf(only)?.tool_result).toEqual({ kept: 0, translated: 1, dropped: 0 });
});

/** The messages of the first session, and what it says of them. */
function messagesOf(...drafts: readonly Draft[]): readonly Readonly<Record<string, unknown>>[] {
  const files = restoredFiles(
    writeForeign({ root: content("s", drafts), descendants: [] }, meanings),
  );
  expect(phiCoreProblems(files)).toEqual([]);
  const [bytes] = files.values();
  const { loops } = JSON.parse(Buffer.from(bytes ?? []).toString());
  return loops.flatMap(({ messages }: { readonly messages: readonly object[] }) => messages);
}

it("writes images with a type that providers accept, even if the source names none", () => {
  const drawing = file("image/svg+xml", "<svg/>");
  const result = [{ type: "image", mimeType: "image/svg+xml", data: "PHN2Zy8+" }];
  const drafts: readonly Draft[] = [
    ["user", file("application/octet-stream", "\x89PNG\r\n\x1a\n"), drawing],
    ["assistant", call("a")],
    ["tool", { type: "tool_result", call_id: "a", is_failure: false, result }],
  ];

  expect(messagesOf(...drafts).map((message) => message["content"])).toMatchObject([
    [
      { type: "image", mimeType: "image/png" },
      { type: "text", text: "[File without a name, image/svg+xml]\n<svg/>" },
    ],
    [{ type: "toolCall" }],
    [{ type: "text", text: "[Image, image/svg+xml]" }],
  ]);
  expect(fidelityOf({ root: content("s", drafts), descendants: [] })).toMatchObject({
    file: { kept: 1, translated: 1, dropped: 0 },
    tool_result: { kept: 0, translated: 1, dropped: 0 },
  });
});

it("writes a tool result without a call as text and images that do not count as typed", async () => {
  const result = [
    { type: "text", text: "shot" },
    { type: "image", mimeType: "image/png", data: "aGk=" },
    { type: "image", mimeType: "image/svg+xml", data: "PHN2Zy8+" },
  ];
  const drafts: readonly Draft[] = [
    ["user", text("look")],
    ["tool", { type: "tool_result", call_id: "a", is_failure: false, result }],
  ];
  const only = { root: content("s", drafts), descendants: [] };

  expect(messagesOf(...drafts)[1]?.["content"]).toEqual([
    { type: "text", text: "[Restored context] Result of a tool (a):\nshot" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "text", text: "[Image, image/svg+xml]" },
  ]);
  expect(await readBack(only)).toEqual([
    ["look", "([Restored context] Result of a tool (a):\nshot)", "([Image, image/svg+xml])"],
  ]);
  expect(fidelityOf(only)?.tool_result).toEqual({ kept: 0, translated: 1, dropped: 0 });
});

it("names images that a model drew, because providers refuse images in an answer", () => {
  const drafts: readonly Draft[] = [
    ["user", text("draw")],
    [
      "assistant",
      file("application/octet-stream", "\x89PNG\r\n\x1a\n"),
      file("text/plain", "warp"),
    ],
  ];

  expect(messagesOf(...drafts)[1]?.["content"]).toEqual([
    { type: "text", text: "[File without a name, image/png]" },
    { type: "text", text: "[File without a name, text/plain]\nwarp" },
  ]);
  expect(fidelityOf({ root: content("s", drafts), descendants: [] })?.file).toEqual({
    kept: 0,
    translated: 1,
    dropped: 1,
  });
});

it("begins no session with an answer, because providers refuse that", async () => {
  const drafts: readonly Draft[] = [
    ["user", text(" ")],
    ["assistant", text("Hello.")],
  ];

  expect(messagesOf(...drafts).map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(await readBack({ root: content("s", drafts), descendants: [] })).toEqual([
    ["([Restored context] This session was restored from codex.)", "Hello."],
  ]);
});

it("marks no failure if the missing result belongs to a tool that the provider ran", () => {
  const calls = [call("a", { provider_executed: true }), call("b")];

  expect(
    messagesOf(["user", text("look")], ["assistant", ...calls]).map(({ isError }) => isError),
  ).toEqual([undefined, undefined, false, true]);
});

it("replaces lone surrogates, which the library refuses", () => {
  const half = "a \ud83e";
  const { messages, session } = content("s", [
    ["assistant", call("a", { params: { [half]: half } })],
  ]);
  const root = { messages, session: { ...session, project: half } };

  const files = restoredFiles(writeForeign({ root, descendants: [] }, meanings));

  expect(phiCoreProblems(files)).toEqual([]);
  const [bytes] = files.values();
  const { agent_id, loops } = JSON.parse(Buffer.from(bytes ?? []).toString());
  expect(agent_id).toBe("a \ufffd");
  expect(loops[0].messages[1].content[0].arguments).toEqual({ "a \ufffd": "a \ufffd" });
});

it("counts every part of the sample session once in the fidelity", () => {
  const sample = sampleLineage();
  const parts = sample.root.messages.flatMap(partsOf);
  const counts = Object.values(fidelityOf(sample) ?? {});
  const counted = counts.reduce(
    (sum, { kept, translated, dropped }) => sum + kept + translated + dropped,
    0,
  );
  const systems = sample.root.messages.filter(({ role }) => role === "system");

  expect(counted).toBe(parts.length + systems.length);
});

it("writes the same files every time, without any id of the original", () => {
  const written = () =>
    [...restoredFiles(writeForeign(sampleLineage(), meanings))].map(
      ([path, bytes]) => `${path} ${Buffer.from(bytes)}`,
    );

  expect(written()).toEqual(written());
  expect(written().join("")).not.toContain("sample-");
});
