import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Home, line } from "./testing.ts";

let home: Home;
let store: string;
beforeEach(async () => {
  home = new Home();
  home.writeSession("s1", line("s1", "u1", "herons stand in reeds"), line("s1", "u2", "and wait"));
  await home.pond("sync", "-q");
  store = join(home.folder, ".local/share/pond/default");
});
afterEach(() => home.remove());

/** Runs as another user than root, who reads every file; the home belongs to that user then. */
async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;
  if (becomeNobody === undefined) return run();
  const nobody = 65534;
  const all = readdirSync(home.folder, { recursive: true, encoding: "utf8" });
  for (const path of ["", ...all]) chownSync(join(home.folder, path), nobody, nobody);
  becomeNobody(nobody);
  try {
    return await run();
  } finally {
    becomeNobody(0);
  }
}

it("pond status --verify reports, in text and JSON, that a whole store can be read", async () => {
  const text = await home.pond("status", "--verify");
  const { code, stdout } = await home.pond("status", "--verify", "--json");

  expect(text.code).toBe(0);
  expect(text.stdout).toContain("messages: 2 rows can be read, all of it\n");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      location: store,
      tables: [
        { name: "sessions", readable_rows: 1, damages: [] },
        { name: "messages", readable_rows: 2, damages: [] },
        { name: "parts", readable_rows: 2, damages: [] },
        { name: "windows", readable_rows: 1, damages: [] },
      ],
    },
  ]);
});

it("pond status --verify draws its progress on a terminal", async () => {
  const terminal = await home.pondWith({ isTerminal: true }, "status", "--verify");
  const quiet = await home.pondWith({ isTerminal: true }, "status", "--verify", "-q");

  expect(terminal.stderr).toMatch(/checking {2}\d+ rows read/);
  expect(quiet.stderr).toBe("");
  expect((await home.pond("status", "--verify")).stderr).toBe("");
});

it("pond status --verify names a truncated data file, and reads the other tables", async () => {
  const [file = ""] = filesOf("messages", "data");
  const bytes = readFileSync(file).length;
  truncateSync(file, bytes - 9);

  const { code, stdout } = await home.pond("status", "--verify", "--json");
  const text = await home.pond("status", "--verify");

  const { tables } = JSON.parse(stdout);
  expect(code).toBe(3);
  expect(tables[1].damages).toEqual([
    { files: [file], reason: `it has ${bytes - 9} bytes, not ${bytes}`, rows: 2 },
  ]);
  expect(tables.map((table: Record<string, unknown>) => table["readable_rows"])).toEqual([
    1, 0, 2, 1,
  ]);
  expect(text.stderr).toContain(file.replace(home.folder, "~"));
});

it("pond status --verify asks for the right to read what it may not, before anything else", async () => {
  const [file = ""] = filesOf("messages", "data");
  chmodSync(file, 0);

  const { code, stderr } = await asNobody(() => home.pond("status", "--verify"));

  expect(code).toBe(3);
  expect(stderr).toContain("permission denied (2 rows)");
  expect(stderr).toMatch(
    /\nThis user may not read all of it: change who may, and run this again\.\n/,
  );
  expect(stderr).not.toContain("Copy the folder");
});

it("pond status --verify names a message of which a bit changed, although it can still be read", async () => {
  const said = Buffer.from("herons stand in reeds");
  const [file = ""] = filesOf("parts", "data").filter((path) => readFileSync(path).includes(said));
  const bytes = readFileSync(file);
  const at = bytes.indexOf(said);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);

  const { code, stdout } = await home.pond("status", "--verify", "--json");
  const text = await home.pond("status", "--verify");

  const { tables } = JSON.parse(stdout);
  const reason = "these messages, or parts of them, are not what was written";
  expect(code).toBe(3);
  expect(tables[1]).toEqual({
    name: "messages",
    readable_rows: 2,
    damages: [{ files: [], reason, rows: 1, ids: [["s1", "u1"]] }],
  });
  expect(text.stderr).toContain(`messages: ${reason} (1 row): s1 u1`);
});

it("a command that finds damage refers to pond status --verify", async () => {
  for (const file of filesOf("messages", "data")) truncateSync(file, 10);

  const { code, stderr } = await home.pond("list");

  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/what is stored there is damaged\n`pond status --verify` names/),
  ]);
});

it("pond status --verify names a manifest of zeros, which keeps the store from opening", async () => {
  const manifests = filesOf("parts", "_versions").filter((file) => file.endsWith(".manifest"));
  for (const file of manifests) writeFileSync(file, Buffer.alloc(readFileSync(file).length));

  const plain = await home.pond("status");
  const { code, stdout } = await home.pond("status", "--verify", "--json");

  const { tables } = JSON.parse(stdout);
  expect([plain.code, code]).toEqual([1, 3]);
  expect(tables[2]).toEqual({
    name: "parts",
    readable_rows: 0,
    damages: [{ files: [manifests[0]], reason: "it is torn" }],
  });
  expect(tables[1].damages).toEqual([]);
});

function filesOf(table: string, folder: string): string[] {
  const below = join(store, `${table}.lance`, folder);
  return readdirSync(below)
    .sort()
    .map((name) => join(below, name));
}
