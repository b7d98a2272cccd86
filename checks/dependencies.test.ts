import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

/** The workspace packages that each package may import: arrows point down, and no others exist. */
const allowed: Record<string, readonly string[]> = {
  canonical: [],
  substrate: [],
  embed: [],
  "embed-testkit": [],
  "npm-testkit": [],
  "storage-testkit": ["npm-testkit"],
  "adapter-testkit": ["canonical"],
  "adapter-claude-code": ["canonical"],
  "adapter-codex": ["canonical"],
  "adapter-opencode": ["canonical"],
  "adapter-pi": ["canonical"],
  "adapter-phi-core": ["canonical"],
  adapters: [
    "canonical",
    "adapter-claude-code",
    "adapter-codex",
    "adapter-opencode",
    "adapter-pi",
    "adapter-phi-core",
  ],
  sessions: ["canonical", "substrate"],
  search: ["canonical", "substrate", "sessions", "embed"],
  sync: ["canonical", "sessions", "embed"],
  wire: ["canonical"],
  server: ["wire", "canonical", "substrate", "sessions", "embed", "search"],
  client: ["wire", "canonical"],
  recorder: ["canonical"],
  archive: ["canonical", "substrate", "sessions"],
  share: ["canonical"],
  reference: [],
  cli: [
    "canonical",
    "substrate",
    "sessions",
    "embed",
    "search",
    "server",
    "client",
    "sync",
    "adapters",
    "archive",
    "share",
  ],
  "server-app": ["substrate", "sessions", "embed", "wire", "server", "adapters"],
  bench: [
    "canonical",
    "substrate",
    "sessions",
    "embed",
    "embed-testkit",
    "npm-testkit",
    "search",
    "sync",
    "adapters",
  ],
};

type Manifest = {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

const packages = globSync("{packages,apps}/*/package.json").map((file) => {
  const manifest: Manifest = JSON.parse(readFileSync(file, "utf8"));
  return {
    folder: dirname(file),
    name: manifest.name.slice("@pond/".length),
    imports: ours(manifest.dependencies),
    forTests: ours(manifest.devDependencies),
  };
});

function ours(dependencies: Readonly<Record<string, string>> = {}): string[] {
  return Object.keys(dependencies)
    .filter((name) => name.startsWith("@pond/"))
    .map((name) => name.slice("@pond/".length));
}

function imported(pattern: string, exclude: string): string[] {
  const files = globSync(pattern).filter((file) => exclude === "" || !file.includes(exclude));
  const names = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"@pond\/([a-z-]+)/g)].map(
      ([, name = ""]) => name,
    ),
  );
  return [...new Set(names)].sort();
}

test("every package is in the list of allowed dependencies", () => {
  expect(packages.map(({ name }) => name).sort()).toEqual(Object.keys(allowed).sort());
});

test.each(packages)("$name depends only on packages below it", ({ name, imports }) => {
  expect(imports.filter((other) => !allowed[name]?.includes(other))).toEqual([]);
});

test.each(packages)(
  "$name imports exactly the pond packages that it declares",
  ({ folder, imports }) => {
    expect(imported(`${folder}/src/**/*.ts`, ".test")).toEqual([...imports].sort());
  },
);

test.each(packages)(
  "the tests of $name import only pond packages that it declares",
  ({ folder, imports, forTests }) => {
    const declared = [...imports, ...forTests];

    expect(
      imported(`${folder}/src/**/*.test*.ts`, "").filter((name) => !declared.includes(name)),
    ).toEqual([]);
  },
);
