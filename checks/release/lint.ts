import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import type { Packed } from "./stage.ts";

/** Ways in which the packages cannot be loaded: they are ES modules and name their exports. */
const unmeant: readonly string[] = ["node10", "node16-cjs"];

/** The complaints of package linters about a package as published, one line each. */
export async function lintOf({ contents, manifest, tarball }: Packed): Promise<readonly string[]> {
  const { messages } = await publint({ pkgDir: contents, pack: false, strict: true });
  const errors = messages
    .filter(({ type }) => type === "error")
    .map((each) => JSON.stringify(each));
  // A program needs no types.
  if (manifest.exports === undefined) return errors;
  const found = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!found.types) return [...errors, "no types are found"];
  const problems = found.problems.filter(
    (problem) => !("resolutionKind" in problem && unmeant.includes(problem.resolutionKind)),
  );
  return [...errors, ...problems.map((each) => JSON.stringify(each))];
}
