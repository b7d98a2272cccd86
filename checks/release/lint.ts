import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import type { Packed } from "./stage.ts";

/** How the packages cannot be loaded: they are ES modules, and name what they export. */
const unmeant: readonly string[] = ["node10", "node16-cjs"];

/** What linters of packages say against a package as npm gets it, each in a line. */
export async function lintOf({ contents, manifest, tarball }: Packed): Promise<readonly string[]> {
  const { messages } = await publint({ pkgDir: contents, pack: false, strict: true });
  const errors = messages
    .filter(({ type }) => type === "error")
    .map((each) => JSON.stringify(each));
  // A program has no types.
  if (manifest.exports === undefined) return errors;
  const found = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!found.types) return [...errors, "no types are found"];
  const problems = found.problems.filter(
    (problem) => !("resolutionKind" in problem && unmeant.includes(problem.resolutionKind)),
  );
  return [...errors, ...problems.map((each) => JSON.stringify(each))];
}
