import { expect, it } from "vitest";
import { idInName, isFolderOf, projectFolder, rootOf } from "./layout.ts";

it.each([
  ["/home/ada/loom", "--home-ada-loom--"],
  ["C:\\Users\\ada", "--C--Users-ada--"],
  ["/", "----"],
  ["/a\u0000b\n/../c", "--a-b--..-c--"],
  ["/\ud800", "--\ufffd--"],
])("turns %j into the folder name the clients give it", (cwd, folder) => {
  expect(projectFolder(cwd)).toBe(folder);
});

it("shortens long folder names and keeps two of them distinct", () => {
  const [a, b] = ["a", "b"].map((end) => projectFolder(`/${"織".repeat(90)}/${end}`));

  expect(a).not.toBe(b);
  expect(Buffer.byteLength(a ?? "")).toBeLessThan(255);
});

it.each([
  ["2026-03-16T08-00-00-000Z_abc.jsonl", "abc"],
  ["2026-03-16T08-00-00-000Z_a_b.c", "a_b.c"],
  ["2026-03-16T08-00-00-000Z_", undefined],
  ["notes_abc.jsonl", undefined],
])("finds the id, if any, in the file name %j (`adapter-integrity-opaque-ids`)", (name, id) => {
  expect(idInName(name)).toBe(id);
});

it.each([
  [
    "a home",
    "/h/agent",
    ["sessions"],
    { home: "/h/agent", sessions: "/h/agent/sessions", isHome: true },
  ],
  [
    "a moved home of omp without sessions",
    "/h/omp",
    ["profiles"],
    { home: "/h/omp", sessions: "/h/omp/sessions", isHome: true },
  ],
  [
    "a moved profile of omp without sessions",
    "/h/omp/profiles/work",
    ["plugins"],
    {
      home: "/h/omp/profiles/work",
      sessions: "/h/omp/profiles/work/sessions",
      isHome: true,
    },
  ],
  ["a session folder that holds plugins", "/h/s", ["plugins"], { home: "/h", sessions: "/h/s" }],
  ["a session folder named omp", "/h/omp", ["wt", "x.jsonl"], { home: "/h", sessions: "/h/omp" }],
  ["a session folder", "/h/s", ["--a--"], { home: "/h", sessions: "/h/s" }],
  [
    "a project folder",
    "/h/s/--a--",
    ["x.jsonl"],
    { home: "/h", sessions: "/h/s", folder: "--a--" },
  ],
  [
    "a project folder of omp",
    "/h/sessions/a",
    [],
    { home: "/h", sessions: "/h/sessions", folder: "a" },
  ],
  [
    "a log in a project folder",
    "/h/s/--a--/x.jsonl",
    undefined,
    { home: "/h", sessions: "/h/s", key: "sessions/--a--/x.jsonl" },
  ],
  [
    "a log directly in a session folder",
    "/h/s/x.jsonl",
    undefined,
    { home: "/h", sessions: "/h/s", key: "sessions/x.jsonl" },
  ],
])("recognizes %s by its path and contents", (_, path, names, root) => {
  const suffixes = [".jsonl"];
  expect(rootOf(path, names, { hasArchive: false })).toEqual({ ...root, suffixes });
});

const agent = { home: "/h/agent", suffixes: [".jsonl", ".jsonl.gz"] };
const live = "/h/agent/sessions";
const archived = "/h/agent/archive/sessions";
const archive = { ...agent, sessions: archived, counterpart: live };

it.each([
  [
    "a home",
    "/h/agent",
    ["sessions"],
    { ...agent, sessions: live, counterpart: archived, isHome: true },
  ],
  ["an archive", "/h/agent/archive", ["sessions"], archive],
  ["the session folder of an archive", archived, ["-a"], archive],
  ["a project folder in an archive", `${archived}/-a`, [], { ...archive, folder: "-a" }],
  [
    "a compressed log",
    `${archived}/-a/x.jsonl.gz`,
    undefined,
    { ...archive, key: "sessions/-a/x.jsonl", suffixes: [".jsonl.gz", ".jsonl"] },
  ],
  [
    "a home named `archive`",
    "/h/archive",
    ["sessions", "agent.db"],
    {
      ...agent,
      home: "/h/archive",
      sessions: "/h/archive/sessions",
      counterpart: "/h/archive/archive/sessions",
      isHome: true,
    },
  ],
])("recognizes %s of omp by its path and contents", (_, path, names, root) => {
  expect(rootOf(path, names, { hasArchive: true })).toEqual(root);
});

it.each<[string, string, boolean]>([
  ["-", "/home/ada", false],
  ["-ada", "/home/ada", true],
  ["-da", "/home/ada", false],
  ["-home-ada", "/home/ada", true],
  ["--home-ada--", "/home/ada", true],
  ["-Users-ada", "C:\\Users\\ada", true],
  ["-longer", "ger", false],
  // Looked at step by step it would take minutes.
  ["-loom", "/".repeat(300_000), false],
])("tells whether %s may be the folder name of a directory", (name, cwd, expected) => {
  expect(isFolderOf(name, cwd)).toBe(expected);
});
