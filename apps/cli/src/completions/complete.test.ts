import { existsSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

let home: Home;
beforeAll(async () => {
  home = new Home();
  const said = (id: string, minute: number, text: string, more = {}): string =>
    home.writeSession(
      id,
      line(id, `${id}-1`, text, { timestamp: `2026-11-20T09:0${minute}:00.000Z`, ...more }),
    );
  said("aaaa0000-1111-2222-3333-444455556666", 1, "the heron in the reeds", { cwd: "/work/pond" });
  said("aaaa0000-7777-2222-3333-444455556666", 2, "the otter\tin the \x1b[31mriver\n$(date)");
  said("bbbb0000-1111-2222-3333-444455556666", 3, "the heron again", { cwd: "/work/a lake" });
  said("cccc0000", 4, "no \x1b[31mcolour", { cwd: "/work/\x1b[31mred" });
  said("--all", 5, "an option, it seems", { cwd: "--force" });
  expect((await home.pond("sync", "-q")).code).toBe(0);
  expect((await home.pond("list")).stdout).toContain("--all");
  await home.pond("search", "heron");
});
afterAll(() => home.remove());

/** What is printed for a line: what comes, and each candidate with its description. */
async function completed(...argv: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { code, stdout, stderr } = await home.pond("complete", ...argv);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^$|\n$/);
  const lines = stdout.split("\n").slice(0, -1);
  return lines.map((text) => text.split("\t"));
}

/** The values alone. */
async function valuesOf(...argv: readonly string[]): Promise<readonly (string | undefined)[]> {
  const [kind, ...candidates] = await completed(...argv);
  expect(kind).toEqual(["values"]);
  return candidates.map(([value]) => value);
}

describe("completion", () => {
  it("offers commands with their descriptions", async () => {
    expect(await completed("zsh", "--", "stat")).toEqual([
      ["values"],
      ["status", "show what is stored, how well it is indexed, and what needs doing"],
    ]);
    expect(await valuesOf("zsh", "--", "")).toEqual(expect.arrayContaining(["get", "help"]));
    expect(await valuesOf("zsh", "--", "help", "sta")).toEqual(["status"]);
    expect(await valuesOf("zsh", "--", "schedule", "sta")).toEqual(["start", "status"]);
    expect(await valuesOf("zsh", "--", "help", "schedule", "")).toEqual(expect.any(Array));
  });

  it.each([
    ["options, including global ones", ["list", "--na"], ["--namespace"]],
    ["options when nothing else can follow", ["mcp", ""], expect.arrayContaining(["--json"])],
    ["no option that was given already", ["list", "--all", "--al"], []],
    ["the choices of an option", ["restore", "--at", ""], ["first", "last"]],
    ["the choices of an option after =", ["restore", "--at=f"], ["first"]],
    ["shells", ["completions", "z"], ["zsh"]],
    ["clients", ["sync", "co"], ["codex"]],
    ["no client that was given already", ["sync", "codex", "co"], []],
    [
      "further clients for an option that takes several",
      ["init", "--client", "codex", "p"],
      ["phi-core", "pi"],
    ],
    ["clients to restore to", ["restore", "x", "--to", "o"], ["opencode", "omp"]],
    ["models", ["models", "download", "bge"], ["bge-small-en-v1.5"]],
    ["stages", ["sync", "--only", "e"], ["embed"]],
    ["times", ["list", "--since", "to"], ["today"]],
    ["nothing for free text", ["search", "her"], []],
    ["nothing for a count", ["list", "--limit", ""], []],
    ["no options after --", ["restore", "--", "--a"], []],
    ["the namespaces of a storage", ["--namespace", ""], ["default"]],
    ["agents", ["list", "--agent", ""], ["claude-code"]],
    ["sessions to filter by", ["search", "x", "--session", "bb"], ["bbbb0000"]],
  ])("offers %s", async (_, words, expected) => {
    expect(await valuesOf("zsh", "--", ...words)).toEqual(expected);
  });

  it.each([
    ["files", ["sync", "--path", ""]],
    ["archives", ["import", "x"]],
    ["archives", ["export", "-o", ""]],
    ["directories", ["--storage", ""]],
    ["directories", ["restore", "x", "--out=y"]],
    ["directories", ["list", "--project", "./"]],
    ["directories", ["copy", "@", ""]],
  ])("leaves %s to the shell: %j", async (kind, words) => {
    expect(await completed("fish", "--", ...words)).toEqual([[kind]]);
  });

  it.each([
    ["an unknown command", ["zsh", "--", "snyc", ""]],
    ["a surplus argument", ["zsh", "--", "status", "more"]],
    ["the value of an unknown option", ["zsh", "--", "list", "--limt=3"]],
    ["a value for an option that takes none", ["zsh", "--", "list", "--all=3"]],
    ["an unknown shell", ["tcsh", "--", ""]],
    ["a word that is already quoted", ["bash", ":=", "--", "'get'"]],
    ["a store that does not exist", ["zsh", "--", "--namespace", "other", "get", ""]],
    ["an unusable namespace", ["zsh", "--", "--namespace", "../x", "get", ""]],
    ["an empty --storage value", ["zsh", "--", "--storage", "", "get", ""]],
  ])("prints nothing for %s", async (_, argv) => {
    expect(await completed(...argv)).toEqual([]);
    expect(readdirSync(join(home.folder, ".local/share/pond"))).toEqual(["default"]);
  });

  it("offers numbers of the last search, and short session ids, the newest first", async () => {
    expect(await completed("zsh", "--", "get", "")).toEqual([
      ["values"],
      ["1", "2026-11-20 a lake: the heron again"],
      ["2", "2026-11-20 pond: the heron in the reeds"],
      ["cccc0000", "2026-11-20 ␛[31mred: no ␛[31mcolour"],
      ["bbbb0000", "2026-11-20 a lake: the heron again"],
      ["aaaa0000-7", "2026-11-20 work: the otter in the ␛[31mriver $(date)"],
      ["aaaa0000-1", "2026-11-20 pond: the heron in the reeds"],
    ]);
    expect(await valuesOf("zsh", "--", "get", "2")).toEqual(["2"]);
    expect(await valuesOf("bash", ":=", "--", "restore", "bbbb0000", "b")).toEqual([]);
    expect(await valuesOf("zsh", "--", "get", "aaaa0000-1111")).toEqual(["aaaa0000-1111"]);
  });

  it("offers projects, except those that look like options or hold control characters", async () => {
    const offered = await completed("fish", "--", "list", "--project", "");

    expect(offered).toEqual([
      ["values"],
      ["/work/a lake", "1 session, the last of 2026-11-20"],
      ["/work", "1 session, the last of 2026-11-20"],
      ["/work/pond", "1 session, the last of 2026-11-20"],
    ]);
  });

  it("offers no project whose name holds invisible characters", async () => {
    const other = new Home();
    other.writeSession("s1", line("s1", "m1", "the heron", { cwd: "/work/po\u{e0041}nd" }));
    other.writeSession("s2", line("s2", "m2", "the otter", { cwd: "/work/pond" }));
    await other.pond("sync", "-q");

    const { stdout } = await other.pond("complete", "zsh", "--", "list", "--project", "");

    other.remove();
    expect(stdout.split("\n").map((text) => text.split("\t")[0])).toEqual([
      ...["values", "/work/pond", ""],
    ]);
  });

  it.each([
    ["typed without quotes", ["list", "--project", "/work/a"], "/work/a\\ lake"],
    ["typed in double quotes", ["list", "--project", '"/work/a'], "/work/a lake"],
    ["typed in single quotes", ["list", "--project", "'/work/a l"], "/work/a lake"],
    ["typed with escapes", ["list", "--project", "/work/a\\ l"], "/work/a\\ lake"],
    [
      "typed after =, where bash splits words",
      ["list", "--project", "=", "/work/a"],
      "/work/a\\ lake",
    ],
    ["typed after = and an opening quote", ["list", "--project", "=", '"/work/a'], "/work/a lake"],
    ["when only = is typed", ["restore", "--at", "="], "first"],
  ])("quotes for bash a value %s", async (_, words, expected) => {
    expect((await valuesOf("bash", `"'><=;|&(:`, "--", ...words))[0]).toBe(expected);
  });

  it("includes the option in a value only when bash does not split the word at =", async () => {
    expect(await valuesOf("bash", ">", "--", "restore", "--at=f")).toEqual(["--at=first"]);
    expect(await valuesOf("bash", "=", "--", "restore", "--at", "=", "f")).toEqual(["first"]);
  });

  it("looks in the store that the flags before it name", async () => {
    const other = join(home.folder, "other");
    await home.pond("--storage", other, "--namespace", "n", "sync", "-q");

    const there = ["--storage", other, "--namespace=n", "get"];
    rmSync(join(other, "n", "messages.lance"), { recursive: true });
    // Bash shows no descriptions, so nothing but ids is read.
    expect(await valuesOf("bash", "=", "--", ...there, "b")).toEqual(["bbbb0000"]);
    expect(await completed("zsh", "--", ...there, "b")).toEqual([]);
  });

  it.each(["storage = 3", "[adapters", "unknown = true"])(
    "offers no sessions, without an error, when config.toml cannot be used: %s",
    async (toml) => {
      const env = { POND_CONFIG: home.write("bad.toml", toml) };

      const finished = await home.pondWith({ env }, "complete", "zsh", "--", "get", "");
      expect(finished).toEqual({ code: 0, stdout: "", stderr: "" });
      const known = await home.pondWith({ env }, "complete", "zsh", "--", "stat");
      expect(known.stdout).toContain("status");
    },
  );

  it("rejects pond complete without -- as an unknown command", async () => {
    const { code, stderr } = await home.pond("complete", "bash");

    expect([code, stderr]).toEqual([2, expect.stringContaining("unknown command")]);
  });

  it("gives up on an object store that does not answer", async () => {
    const held = createServer(() => undefined);
    await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
    const { port } = held.address() as AddressInfo;
    const toml = `storage = "s3://bucket/x"\n[storage_options]\nendpoint = "http://127.0.0.1:${port}"\nallow_http = "true"\nregion = "r"\naws_access_key_id = "a"\naws_secret_access_key = "b"`;
    const env = { POND_CONFIG: home.write("bucket.toml", toml) };

    const finished = await home.spawn(["complete", "zsh", "--", "get", ""], { env });

    held.closeAllConnections();
    held.close();
    expect(finished).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(join(home.folder, "s3:"))).toBe(false);
  });
});
