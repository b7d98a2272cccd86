import fs, {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@pond/canonical";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildSessionContext } from "./context.ts";
import type { SessionDialect, SessionEntry } from "./entry.ts";
import { EntryNotFoundError, SessionFileError } from "./errors.ts";
import { SessionFile } from "./session-file.ts";
import { SessionTree } from "./tree.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-session-file-"));
  path = join(folder, "sessions", "s.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let second = 0;
const now = () => new Date(Date.UTC(2026, 2, 1, 9, 0, second++));
const cwd = "/home/ada/loom";
const user = (text: string): JsonObject => ({ role: "user", content: text, timestamp: 0 });
const assistant = (text: string, more: JsonObject = {}): JsonObject => ({
  role: "assistant",
  content: [{ type: "text", text }],
  provider: "loomworks",
  model: "weaver-1",
  timestamp: 0,
  ...more,
});

function create(dialect: SessionDialect = "pi"): SessionFile {
  return SessionFile.create({ dialect, cwd, path, id: "s", now });
}

/** What the model is given, in short. */
function heard(file: SessionFile, leafId?: string | null): readonly string[] {
  return file.context(leafId).messages.map(({ role, content, summary, customType }) => {
    const said = Array.isArray(content) ? content.map((block) => JSON.stringify(block)) : content;
    return `${role}: ${customType ?? summary ?? said}`;
  });
}

function records(): readonly JsonObject[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe.each<SessionDialect>(["pi", "omp"])("a session of %s", (dialect) => {
  it("is unchanged after an entry could not be written", () => {
    const file = create(dialect);
    const first = file.appendMessage(user("one"));
    const moved = `${path}.moved`;
    renameSync(path, moved);
    mkdirSync(path);
    expect(() => file.appendMessage(user("lost"))).toThrow(/EISDIR/);
    rmdirSync(path);
    renameSync(moved, path);
    const looped: { [key: string]: JsonValue } = {};
    looped["self"] = looped;
    expect(() => file.appendMessage(looped)).toThrow();

    const second = file.appendMessage(user("two"));

    expect(file.entry(second)?.parentId).toBe(first);
    expect(file.entries.map(({ id }) => id)).toEqual([first, second]);
    expect(heard(SessionFile.open(path, { dialect }))).toEqual(["user: one", "user: two"]);
  });

  it("keeps its leaf and its title if a summary or a title could not be written", () => {
    const file = create(dialect);
    const first = file.appendMessage(user("one"));
    const last = file.appendMessage(user("two"));
    file.setTitle("Weaving");
    const leaf = file.leafId;
    const moved = `${path}.moved`;
    renameSync(path, moved);
    mkdirSync(path);
    expect(() => file.branchWithSummary(first, "left")).toThrow(/EISDIR/);
    expect(() => file.setTitle("Lost")).toThrow(/EISDIR/);
    rmdirSync(path);
    renameSync(moved, path);

    expect(file.leafId).toBe(leaf);
    expect(file.branchTo().map(({ id }) => id)).toContain(last);
    expect(file.title).toBe("Weaving");
  });

  it("appends no entry to the torn rest of another entry", () => {
    const file = create(dialect);
    file.appendMessage(user("one"));
    // As a full disk leaves it.
    const limited = Reflect.get(fs, "appendFileSync") as typeof appendFileSync;
    const spy = vi.spyOn(fs, "appendFileSync").mockImplementationOnce((at, text) => {
      limited(at, String(text).slice(0, 20));
      throw new Error("ENOSPC");
    });
    syncBuiltinESMExports();
    expect(() => file.appendMessage(user("lost"))).toThrow("ENOSPC");
    spy.mockRestore();
    syncBuiltinESMExports();

    file.appendMessage(user("two"));

    expect(heard(SessionFile.open(path, { dialect }))).toEqual(["user: one", "user: two"]);
  });

  it("keeps an entry's type, id and parent even if its data have fields of the same names", () => {
    const file = create(dialect);
    const first = file.appendMessage(user("one"));
    const odd = file.append("custom", { id: first, parentId: "x", type: "session", data: 1 });
    file.appendMessage(user("two"));

    const again = SessionFile.open(path, { dialect });

    expect(again.entry(odd)).toMatchObject({ type: "custom", parentId: first, data: 1 });
    expect(heard(again)).toEqual(["user: one", "user: two"]);
  });

  it("writes every kind of entry as a line, and opens as it was", () => {
    const file = create(dialect);
    const first = file.appendMessage(user("one"));
    file.appendModelChange("loomworks", "weaver/2", dialect === "omp" ? "smol" : undefined);
    file.appendThinkingLevelChange("high");
    file.appendCustom("state", { count: 1 });
    file.appendCustomMessage("hint", "look left", false);
    file.appendLabel(first, "start");
    file.append("session_init", { systemPrompt: "You weave.", tools: ["bash"] });
    file.appendCompaction("so far", first, 100, { details: { by: "hand" } });
    file.branchWithSummary(first, "it led nowhere");

    const opened = SessionFile.open(path, { dialect });

    expect(opened.entries).toEqual(file.entries);
    expect([opened.leafId, opened.label(first)]).toEqual([file.leafId, "start"]);
    expect(opened.context()).toEqual(file.context());
    expect(records()).toHaveLength(file.entries.length + (dialect === "omp" ? 2 : 1));
    expect(new Set(file.entries.map(({ id }) => id)).size).toBe(file.entries.length);
    expect(file.entries.every(({ id }) => /^[0-9a-f]{8}$/.test(id))).toBe(true);
  });

  it("goes on from another entry, and from before the first", () => {
    const file = create(dialect);
    const [one, two] = [file.appendMessage(user("one")), file.appendMessage(assistant("uno"))];
    file.branch(one);
    const other = file.appendMessage(assistant("eins"));
    file.resetLeaf();
    expect(heard(file)).toEqual([]);
    const root = file.appendMessage(user("again"));

    expect(file.children(one).map(({ id }) => id)).toEqual([two, other]);
    expect(file.children(null).map(({ id }) => id)).toEqual([one, root]);
    expect(file.branchTo(other).map(({ id }) => id)).toEqual([one, other]);
    expect(file.tree().map(({ entry, children }) => [entry.id, children.length])).toEqual([
      [one, 2],
      [root, 0],
    ]);
    expect(heard(file, two)).toEqual(["user: one", 'assistant: {"type":"text","text":"uno"}']);
    expect(() => file.branch("nowhere")).toThrow(EntryNotFoundError);
    expect(() => file.appendLabel("nowhere", "x")).toThrow(EntryNotFoundError);
  });

  it("gives the newest compaction in place of the entries that it stands for", () => {
    const file = create(dialect);
    file.appendMessage(user("one"));
    const two = file.appendMessage(user("two"));
    file.appendCompaction("first", two, 10);
    const three = file.appendMessage(user("three"));
    file.appendCompaction("second", two, 20);
    file.appendMessage(user("four"));

    expect(heard(file)).toEqual([
      "compactionSummary: second",
      "user: two",
      "user: three",
      "user: four",
    ]);
    expect(heard(file, three)).toEqual(["compactionSummary: first", "user: two", "user: three"]);
  });

  it("gives a model the summary of an abandoned branch and the message of an extension", () => {
    const file = create(dialect);
    const one = file.appendMessage(user("one"));
    file.appendMessage(user("abandoned"));
    file.branchWithSummary(one, "a dead end");
    file.appendCustomMessage("hint", "look left", true, { details: { n: 1 } });
    file.append("branch_summary", { fromId: one, summary: "" });

    expect(heard(file)).toEqual(["user: one", "branchSummary: a dead end", "custom: hint"]);
  });

  it("makes a new session of a branch, with its labels", () => {
    const file = create(dialect);
    const one = file.appendMessage(user("one"));
    file.appendLabel(one, "start");
    const two = file.appendMessage(user("two"));
    file.appendMessage(user("three"));

    const branched = file.createBranched(two);

    expect(branched.header).toMatchObject({ type: "session", cwd, parentSession: path });
    expect(branched.header.id).not.toBe("s");
    expect(branched.entries.map(({ type, id, parentId }) => [type, id, parentId])).toEqual([
      ["message", one, null],
      ["message", two, one],
      ["label", expect.any(String), two],
    ]);
    expect(SessionFile.open(branched.path ?? "", { dialect }).label(one)).toBe("start");
  });

  it("keeps unknown entries and broken lines", () => {
    create(dialect).appendMessage(user("one"));
    const odd = '{"type":"of tomorrow","id":"t0000001","parentId":null,"n":9007199254740993}';
    appendFileSync(path, `{ broken\n${odd}`);

    const file = SessionFile.open(path, { dialect });
    file.appendMessage(user("two"));

    expect(file.malformedLines).toEqual([dialect === "omp" ? 4 : 3]);
    expect(readFileSync(path, "utf8")).toContain(`{ broken\n${odd}\n{"type":"message"`);
    expect(file.entries.at(-1)?.parentId).toBe("t0000001");
  });

  it("lives in memory if it has no path", () => {
    const file = SessionFile.create({ dialect, cwd });
    file.appendMessage(user("one"));

    expect([file.path, heard(file)]).toEqual([undefined, ["user: one"]]);
    expect(file.createBranched(file.leafId ?? "").path).toBeUndefined();
  });
});

describe("differences between pi and omp", () => {
  it("pi takes the model of the last change or answer; omp keeps one that was chosen", () => {
    const models = (dialect: SessionDialect) => {
      const file = SessionFile.create({ dialect, cwd });
      file.appendMessage(assistant("hi"));
      const answered = file.context().model;
      file.appendModelChange("other", "big/model");
      file.appendMessage(assistant("hi again"));
      return [answered, file.context().model];
    };
    const weaver = { provider: "loomworks", modelId: "weaver-1" };

    expect(models("pi")).toEqual([weaver, weaver]);
    expect(models("omp")).toEqual([weaver, { provider: "other", modelId: "big/model" }]);
  });

  it("pi keeps a provider with a slash apart from the model; omp joins both in one name", () => {
    const models = (dialect: SessionDialect) => {
      const [changed, answered] = [1, 2].map(() => SessionFile.create({ dialect, cwd }));
      changed?.appendModelChange("acme/eu", "m1");
      answered?.appendMessage(assistant("hi", { provider: "acme/eu", model: "m1" }));
      return [changed, answered].map((file) => file?.context().model);
    };
    const [inPi, inOmp] = [
      { provider: "acme/eu", modelId: "m1" },
      { provider: "acme", modelId: "eu/m1" },
    ];

    expect(models("pi")).toEqual([inPi, inPi]);
    expect(models("omp")).toEqual([inOmp, inOmp]);
  });

  it("omp names no provider for a model without one", () => {
    const file = SessionFile.create({ dialect: "omp", cwd });
    file.append("model_change", { model: "m1" });

    expect(file.context().model).toEqual({ provider: "", modelId: "m1" });
  });

  it("pi gives empty content where content is missing, and no empty summary", () => {
    const file = SessionFile.create({ dialect: "pi", cwd });
    for (const role of ["user", "assistant", "toolResult", "system"]) {
      file.appendMessage({ role });
      file.appendMessage({ role, content: null });
    }
    file.append("custom_message", { customType: "hint", content: null, display: true });
    file.append("branch_summary", { fromId: "x", summary: null });

    const given = file.context().messages.map(({ role, content }) => [role, content]);

    const twice = (role: string, content: JsonValue) => [
      [role, content],
      [role, content],
    ];
    expect(given).toEqual([
      ...twice("user", []),
      ...twice("assistant", []),
      ...twice("toolResult", []),
      ...twice("system", ""),
      ["custom", []],
    ]);
  });

  it("omp starts over after a reset, unless it compacted since, and skips failed answers", () => {
    const file = SessionFile.create({ dialect: "omp", cwd });
    const one = file.appendMessage(user("one"));
    file.append("reset_boundary");
    const two = file.appendMessage(user("two"));
    file.appendMessage(assistant("failed", { retryRecovery: "superseded" }));
    file.append("mode_change", { mode: "plan" });
    file.append("ttsr_injection", { injectedRules: ["a", "b"] });
    file.append("ttsr_injection", { injectedRules: ["b"] });

    file.appendMessage(assistant(" ", { stopReason: "error" }));
    const lost = { type: "toolCall", id: "lost", name: "bash", arguments: {} };
    file.appendMessage(assistant("", { content: [lost] }));

    expect(heard(file)).toEqual(["user: two"]);
    expect(file.context()).toMatchObject({ mode: "plan", injectedTtsrRules: ["a", "b"] });
    file.appendCompaction("both", one, 1);
    expect(heard(file)).toEqual(["compactionSummary: both", "user: two"]);
    expect(file.branchTo(two).map(({ id }) => id)).toContain(one);
  });

  it.each<[SessionDialect, readonly string[]]>([
    ["pi", ["system: new", "compactionSummary: so far", "user: two", "user: three"]],
    ["omp", ["compactionSummary: so far", "system: old", "user: two", "user: three"]],
  ])(
    "%s gives the system prompt of a compaction, or the old prompt if it knows none",
    (dialect, said) => {
      const system = (content: string) => ({ role: "system", content, timestamp: 0 });
      const file = SessionFile.create({ dialect, cwd });
      const old = file.appendMessage(system("old"));
      file.appendMessage(user("two"));
      file.appendCompaction("so far", old, 1, { systemMessage: system("new") });
      file.appendMessage(user("three"));

      expect(heard(file)).toEqual(said);
    },
  );

  it("pi gives an entry as it was last edited on its branch; omp gives it unedited", () => {
    const said = (dialect: SessionDialect) => {
      const file = SessionFile.create({ dialect, cwd });
      const edit = (targetId: string, replacement: JsonValue) =>
        file.append("context_edit", { targetId, replacement });
      const one = file.appendMessage(user("one"));
      const answer = file.appendMessage(assistant("uno"));
      const hint = file.appendCustomMessage("hint", "look left", true);
      const shell = file.appendMessage({ role: "bashExecution", content: "ls", timestamp: 0 });
      edit(one, { content: "not yet" });
      edit(one, { content: "one, edited" });
      edit(answer, { content: "uno, edited" });
      edit(shell, { content: "no part of this" });
      const last = edit(hint, null);
      return [heard(file), heard(file, shell), heard(file, last).length];
    };
    const plain = [
      "user: one",
      'assistant: {"type":"text","text":"uno"}',
      "custom: hint",
      "bashExecution: ls",
    ];
    const edited = [
      "user: one, edited",
      'assistant: {"type":"text","text":"uno, edited"}',
      "bashExecution: ls",
    ];

    expect(said("pi")).toEqual([edited, plain, 3]);
    expect(said("omp")).toEqual([plain, plain, 4]);
  });

  it("pi titles a session by an entry; omp titles it in 256 bytes that it overwrites", () => {
    const pi = create("pi");
    pi.setTitle("first");
    pi.setTitle("second");
    expect([pi.title, pi.entries.length]).toEqual(["second", 2]);

    rmSync(path);
    const omp = create("omp");
    omp.appendMessage(user("one"));
    const before = readFileSync(path).subarray(256);
    omp.setTitle(`${"長".repeat(200)} "quoted"`, "user");

    const bytes = readFileSync(path);
    expect(bytes.indexOf("\n")).toBe(255);
    expect(bytes.subarray(256)).toEqual(before);
    expect(JSON.parse(bytes.subarray(0, 256).toString())).toMatchObject({
      type: "title",
      source: "user",
    });
    expect(SessionFile.open(path, { dialect: "omp" }).title).toMatch(/^長+$/);
  });

  it.each([
    ["a time of 300 characters", { updatedAt: "x".repeat(300) }],
    ["a source of 300 characters", { source: "x".repeat(300) }],
    ["a title of a million characters", { title: "x".repeat(1_000_000) }],
  ])("a title slot that another program wrote with %s is rewritten to 256 bytes", (_, fields) => {
    const old = join(folder, "old.jsonl");
    const slot = { type: "title", v: 1, title: "", updatedAt: "", ...fields };
    const header = { type: "session", version: 2, id: "s", timestamp: "2026-03-01T09:00:00Z", cwd };
    writeFileSync(old, `${JSON.stringify(slot)}\n${JSON.stringify(header)}\n`);
    SessionFile.open(old, { dialect: "omp" }).appendMessage(user("one"));

    const [first = ""] = readFileSync(old, "utf8").split("\n");
    expect(`${first}\n`).toHaveLength(256);
    expect(SessionFile.open(old, { dialect: "omp" }).entries).toHaveLength(1);
  });

  it.each([
    ["shorter", 40],
    ["longer", 400],
  ])("a new title leaves the lines after a slot that is %s than 256 bytes intact", (_, length) => {
    const old = join(folder, "old.jsonl");
    const slot = { type: "title", v: 1, title: "a", updatedAt: "", pad: " ".repeat(length) };
    const header = { type: "session", version: 3, id: "s", timestamp: "2026-03-01T09:00:00Z", cwd };
    const entry = { type: "message", id: "a", parentId: null, message: user("one") };
    const lines = [slot, header, entry].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(old, lines.join(""));

    SessionFile.open(old, { dialect: "omp" }).setTitle("b");

    const bytes = readFileSync(old);
    expect(bytes.indexOf("\n")).toBe(255);
    expect(bytes.subarray(256).toString()).toBe(lines.slice(1).join(""));
    expect(SessionFile.open(old, { dialect: "omp" }).title).toBe("b");
  });

  it("an older omp file gets its title slot with its first new title", () => {
    const header = {
      type: "session",
      version: 3,
      id: "s",
      timestamp: "2026-03-01T09:00:00Z",
      cwd,
      title: "old",
    };
    writeFileSync(join(folder, "old.jsonl"), `${JSON.stringify(header)}\n`);

    const file = SessionFile.open(join(folder, "old.jsonl"), { dialect: "omp" });
    expect(file.title).toBe("old");
    file.setTitle("new");

    const opened = SessionFile.open(join(folder, "old.jsonl"), { dialect: "omp" });
    expect([opened.title, opened.header["title"]]).toEqual(["new", "old"]);
  });
});

describe("older files", () => {
  const old = (...lines: readonly object[]) => {
    const file = join(folder, "old.jsonl");
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return file;
  };
  const header = { type: "session", id: "s", timestamp: "2026-03-01T09:00:00.000Z", cwd };
  const message = (text: string) => ({
    type: "message",
    timestamp: header.timestamp,
    message: user(text),
  });

  it("are shown as version 3, and rewritten as version 3 with the first new entry", () => {
    const compaction = {
      type: "compaction",
      timestamp: header.timestamp,
      summary: "so far",
      firstKeptEntryIndex: 2,
      tokensBefore: 1,
    };
    const hook = { ...message("hook"), message: { ...user("hook"), role: "hookMessage" } };
    const file = old(header, message("one"), message("two"), compaction, hook);
    const before = readFileSync(file, "utf8");

    const opened = SessionFile.open(file, { dialect: "pi" });
    expect(heard(opened)).toEqual(["compactionSummary: so far", "user: two", "custom: hook"]);
    expect(readFileSync(file, "utf8")).toBe(before);
    opened.appendMessage(user("three"));

    const again = SessionFile.open(file, { dialect: "pi" });
    expect(again.header).toMatchObject({ version: 3, id: "s" });
    expect(again.entries).toEqual(opened.entries);
  });

  it.each<[string, readonly object[]]>([
    ["is empty", []],
    ["has no header", [message("one")]],
    ["is of a later version", [{ ...header, version: 4 }]],
  ])("are refused if one %s", (_, lines) => {
    expect(() => SessionFile.open(old(...lines), { dialect: "pi" })).toThrow(SessionFileError);
    expect(() => SessionFile.open(join(folder, "none"), { dialect: "pi" })).toThrow(
      SessionFileError,
    );
  });

  it("are never overwritten by a new session", () => {
    create();

    expect(() => create()).toThrow(SessionFileError);
  });
});

describe("any links between entries", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e");
  const entry = fc.record({
    type: fc.constantFrom("message", "compaction", "label", "reset_boundary", "branch_summary"),
    id,
    parentId: fc.option(id),
    timestamp: fc.constant("2026-03-01T09:00:00.000Z"),
    firstKeptEntryId: id,
    targetId: id,
    summary: fc.constantFrom("", "s"),
    message: fc.constant(user("x")),
  });
  const forest = fc.uniqueArray(entry, { selector: (each) => each.id });

  it("end every walk, and show every entry once", () => {
    fc.assert(
      fc.property(forest, id, fc.constantFrom("pi", "omp"), (entries, leaf, dialect) => {
        const tree = new SessionTree(entries as readonly SessionEntry[]);
        const path = tree.branch(leaf);
        const shown: string[] = [];
        const walk = (nodes: ReturnType<SessionTree["nodes"]>): void => {
          for (const { entry: each, children } of nodes) {
            shown.push(each.id);
            walk(children);
          }
        };
        walk(tree.nodes());

        expect(shown.sort()).toEqual(entries.map((each) => each.id).sort());
        expect(new Set(path).size).toBe(path.length);
        expect(path.at(-1)).toBe(tree.get(leaf));
        expect(buildSessionContext(tree, leaf, dialect).messages.length).toBeLessThanOrEqual(
          path.length,
        );
      }),
    );
  });
});
