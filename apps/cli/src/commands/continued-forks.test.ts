import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixtures, Home } from "../testing.ts";

// Codex writes of a fork only what comes after the cut, and refuses it without what it goes on from.
const root = "019e0000-0000-7000-8000-000000000070";
const fork = "019e0000-0000-7000-8000-000000000073";
const input = join(fixtures, "codex", "reverted", "input");

let home: Home;
let codex: string;
beforeEach(() => {
  home = new Home();
  codex = join(home.folder, ".codex");
  cpSync(input, codex, { recursive: true });
});
afterEach(() => home.remove());

/** The files of a thread, or of all, relative to the client's home. */
function filesOf(thread = "", folder = codex): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl") && path.includes(`-${thread}`))
    .sort();
}

function removeAll(thread = ""): void {
  for (const path of filesOf(thread)) rmSync(join(codex, path));
}

describe("a Codex fork that continues from the middle of a base session", () => {
  it("is restored together with its base, and base files that still exist stay as they are", async () => {
    const all = filesOf();
    await home.pond("sync", "-q");
    removeAll();

    const restored = await home.pond("resume", fork);

    expect([restored.code, filesOf()]).toEqual([0, all]);
    expect(restored.stdout).toContain(`codex resume ${fork}\n`);
    expect(restored.stderr).toContain(`Restored for codex: ~/.codex/${filesOf(fork)[0]}`);

    const [first = ""] = filesOf(root);
    removeAll(fork);
    writeFileSync(join(codex, first), "went on");
    const { stdout } = await home.pond("restore", fork, "--install", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ faults: [] });
    expect(JSON.parse(stdout).left_as_is).toContainEqual({
      session_id: root,
      path: join(codex, first),
    });
    expect([filesOf(), readFileSync(join(codex, first), "utf8")]).toEqual([all, "went on"]);
  });

  it("gets a removed base back although the fork itself is there, unless the base is archived", async () => {
    const all = filesOf();
    await home.pond("sync", "-q");
    const archive = join(codex, "archived_sessions");
    mkdirSync(archive);
    for (const path of filesOf(root)) renameSync(join(codex, path), join(archive, basename(path)));

    const archived = JSON.parse((await home.pond("resume", fork, "--json")).stdout);
    expect([archived.written, filesOf(root, join(codex, "sessions"))]).toEqual([false, []]);

    rmSync(archive, { recursive: true });
    const removed = JSON.parse((await home.pond("resume", fork, "--json")).stdout);
    expect([removed.written, filesOf()]).toEqual([true, all]);
  });

  it("is reported as a fault when its base is not stored", async () => {
    removeAll(root);
    await home.pond("sync", "-q");
    removeAll();

    const resumed = await home.pond("resume", fork, "--json");
    const restored = await home.pond("restore", fork, "--to", "pi", "--install", "--json");

    const fault = { session_id: fork, code: "base_missing" };
    expect(JSON.parse(resumed.stdout).faults).toEqual([
      { ...fault, message: expect.stringContaining("its client refuses it") },
    ]);
    expect([restored.code, JSON.parse(restored.stdout).faults]).toEqual([
      3,
      [{ ...fault, message: expect.stringContaining("what was said before is missing") }],
    ]);
    expect((await home.pond("resume", fork)).stderr).toContain(`warning: ${fork}: it continues`);
  });

  it("has the damage of its base reported once, even when another fork shares the base", async () => {
    const other = fork.replace(/3$/, "4f");
    for (const path of filesOf(fork)) {
      const text = readFileSync(join(codex, path), "utf8");
      writeFileSync(join(codex, path.replaceAll(fork, other)), text.replaceAll(fork, other));
    }
    await home.pond("sync", "-q");
    const data = join(home.folder, ".local/share/pond/default/parts.lance/data");
    for (const name of readdirSync(data)) {
      const bytes = readFileSync(join(data, name));
      const at = bytes.indexOf("Warp the loom");
      if (at >= 0) writeFileSync(join(data, name), bytes.fill("H", at, at + 1));
    }

    const { stdout } = await home.pond("restore", fork, other, "--out", home.folder, "--json");

    expect(JSON.parse(stdout).faults).toEqual([
      { session_id: root, code: "messages_damaged", message: expect.any(String) },
    ]);
  });

  it("begins with the base's messages in another client, and stays known as a copy", async () => {
    await home.pond("sync", "-q");

    const { stdout } = await home.pond("restore", fork, "--to", "pi", "--install", "--json");

    const [file] = JSON.parse(stdout).files;
    const said = readFileSync(file.path, "utf8").match(/"text":"[^"]*"/g);
    expect([existsSync(file.path), said]).toEqual([
      true,
      [
        "Warp the loom.",
        "Warped, with wool.",
        "Weave it green.",
        "Green it is.",
        "With a white border.",
        "White it is.",
      ].map((text) => `"text":"${text}"`),
    ]);
    await home.pond("sync", "-q");
    const listed = (await home.pond("list", "--json")).stdout.trimEnd().split("\n");
    expect(listed.map((each) => JSON.parse(each).session_id).sort()).toEqual([root, fork]);
    expect((await home.pond("list", "--all", "--json")).stdout.trimEnd().split("\n")).toHaveLength(
      3,
    );
  });
});
