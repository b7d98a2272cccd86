import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Left by a complete `pnpm build`. Its time is the build's start; its text lists the sources. */
const stamp = "node_modules/.cache/built";
/** Everything that goes into a build, and some files that do not. */
const sources = [
  "{packages,apps}/*/{package.json,tsconfig*.json,*.ts}",
  "{packages,apps}/*/src/**/*.*",
  "{package.json,pnpm-*.yaml,turbo.json,tsup.config.ts,tsconfig*.json}",
];
const ofTests = /\/testing|\.test\b/;

/**
 * True if the whole repository is built from the present sources.
 *
 * Judged by when files last changed in any way. Only a build by `pnpm build` counts.
 */
export function isBuilt(root: string = resolve(import.meta.dirname, "..")): boolean {
  const began = statSync(join(root, stamp), { throwIfNoEntry: false })?.mtimeMs;
  if (began === undefined || !isWhole(root)) return false;
  const built = readFileSync(join(root, stamp), "utf8").match(/.+/g) ?? [];
  // A source that was built and is gone counts as changed.
  return [...new Set([...built, ...globSync(sources, { cwd: root })])]
    .filter((file) => !ofTests.test(file))
    .every((file) => changedAt(join(root, file)) < began);
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.POSITIVE_INFINITY;
}

/** True if no package's build was removed since. */
function isWhole(root: string): boolean {
  return globSync("{packages,apps}/*/package.json", { cwd: root }).every((file) => {
    const { scripts } = JSON.parse(readFileSync(join(root, file), "utf8"));
    return scripts?.build === undefined || existsSync(join(root, dirname(file), "dist"));
  });
}
