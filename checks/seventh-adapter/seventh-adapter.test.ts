import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { adapterCases } from "@pond/adapter-testkit";
import { adapterNamed, adapters, meaningsOf } from "@pond/adapters";
import { parseJson } from "@pond/canonical";
import { listSessions, openSessions, restore, type SessionStore, writeFiles } from "@pond/sessions";
import { discoverSources, sync } from "@pond/sync";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { shuttle } from "./shuttle.ts";

const fixture = resolve(import.meta.dirname, "fixture", "plain");

describe("an adapter that somebody else wrote passes the checks of pond's own adapters", () => {
  const cases = adapterCases({
    reader: shuttle.from,
    writer: shuttle.to,
    fixtures: [fixture],
    keepsInside: true,
  });
  test.each([...cases])("$rule: $name", ({ run }) => run());
});

describe("an adapter added to the registry by one line", () => {
  const registry = [...adapters, shuttle];
  let home: string;
  let sessions: SessionStore;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "pond-seventh-"));
    mkdirSync(join(home, ".shuttle"));
    cpSync(join(fixture, "input"), join(home, ".shuttle"), { recursive: true });
    cpSync(resolve("fixtures/samples/codex"), join(home, ".codex"), { recursive: true });
    sessions = await openSessions(join(home, "store"), { mode: "write" });
    const sources = discoverSources(registry, { environment: { home, env: {} } });
    const options = { stateDirectory: join(home, "state"), host: "loom", now: () => new Date(0) };
    await sync(sessions, sources, options);
  });
  afterAll(() => {
    sessions.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("is synced like any other", async () => {
    const found = await listSessions(sessions, { agent: "shuttle" });

    expect(found.map(({ session_id, project }) => [session_id, project])).toEqual([
      ["bobbin", "/home/ada/loom"],
    ]);
  });

  it("has its session listed under the name that its reader marked, and keeps the name in a copy", async () => {
    const [listed] = await listSessions(sessions, { agent: "shuttle" });
    const { files } = await restore(sessions, "bobbin", adapterNamed("pi").to);

    const [file] = files.map(({ content }) => [...content].join(""));

    expect(listed?.title).toBe("The seventh thread");
    expect(file).toContain('"type":"session_info","id"');
    expect(file).toContain('"name":"The seventh thread"');
  });

  it("gets its session restored, record by record", async () => {
    const { files, isNative } = await restore(sessions, "bobbin", shuttle.to);

    const [path = ""] = await writeFiles(files, join(home, "native"));

    expect(isNative).toBe(true);
    expect(records(path)).toEqual(records(join(fixture, "input", "bobbin.jsonl")));
  });

  it("has its session copied to another client with its tools translated", async () => {
    const { files } = await restore(sessions, "bobbin", adapterNamed("claude-code").to, {
      meanings: meaningsOf(registry),
    });

    const text = files.map(({ content }) => [...content].join("")).join("");

    expect(text).toContain('"name":"Bash","input":{"command":"ls"}');
    expect(text).toContain("The seventh one.");
  });

  it("has the turns that its own rule marks as taken back left out of copies, and counted", async () => {
    const { files, fidelity } = await restore(sessions, "bobbin", adapterNamed("codex").to, {
      meanings: meaningsOf(registry),
    });

    const text = files.map(({ content }) => [...content].join("")).join("");

    expect(text).not.toMatch(/Cut it off|Snip/);
    expect(text).toContain("Tie it.");
    expect(fidelity.text?.dropped).toBe(2);
  });

  it("has everything copied when the registry does not know what its records mean", async () => {
    const { files } = await restore(sessions, "bobbin", adapterNamed("codex").to, {
      meanings: meaningsOf(adapters),
    });

    expect(files.map(({ content }) => [...content].join("")).join("")).toContain("Snip.");
  });

  it("receives a session of another client", async () => {
    const [codex] = await listSessions(sessions, { agent: "codex" });
    const { files, fidelity } = await restore(sessions, codex?.session_id ?? "", shuttle.to, {
      meanings: meaningsOf(registry),
    });

    const paths = await writeFiles(files, join(home, "copies"));
    const copies = await Array.fromAsync(shuttle.from(join(home, "copies")).sessions());

    expect(copies).toHaveLength(paths.length);
    expect(readdirSync(join(home, "copies"))).toHaveLength(paths.length);
    expect(paths.map((path) => readFileSync(path, "utf8")).join("")).toContain('"tool":"sh"');
    expect(fidelity.tool_call?.dropped).toBe(0);
  });
});

function records(file: string): readonly unknown[] {
  return readFileSync(file, "utf8").trimEnd().split("\n").map(parseJson);
}
