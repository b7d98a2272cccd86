import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Files, mutateFiles } from "../mutate-files.ts";
import { readInput } from "../read-input.ts";
import { checkFolder, type Reading } from "../reader-promises.ts";
import { smallSeeds } from "../small-seeds.ts";
import type { Target } from "../target.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures", import.meta.url));

export type ReaderTarget = Pick<Reading, "adapter"> & Partial<Reading>;

/** The reader of a client, and its writer, which gets what was read. */
export function readerTarget({
  adapter,
  isLines = (path) => path.endsWith(".jsonl"),
  isDocument = () => false,
}: ReaderTarget): Target {
  const { origin } = adapter;
  return {
    name: origin,
    sources: new RegExp(`packages/(?:adapter-${origin === "omp" ? "pi" : origin}|canonical)/src`),
    seeds: () => {
      const inputs = globSync(`${origin}/*/input`, { cwd: fixtures }).sort();
      const whole = inputs.map((input) => readInput(join(fixtures, input)));
      return [...whole, ...whole.flatMap((files) => smallSeeds(files, isLines))];
    },
    mutate: (files, random) => mutateFiles(files, isLines, random),
    run: (files, scratch) =>
      checkFolder({ adapter, isLines, isDocument }, files, write(files, scratch)),
  };
}

/** The content of a scratch folder: most cases differ in one file from the case before. */
let written: { readonly folder: string; readonly files: Files } = { folder: "", files: new Map() };

/** Writes the files into a folder that holds nothing else of the case before. */
function write(files: Files, scratch: string): string {
  const folder = join(scratch, "home");
  const before = written.folder === folder ? written.files : new Map<string, Buffer>();
  const isOther = [...before.keys()].some((path) => !files.has(path));
  if (isOther) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of files) {
    if (!isOther && before.get(path) === bytes) continue;
    if (isOther || !before.has(path)) mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  written = { folder, files };
  return folder;
}
