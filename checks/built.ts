import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** `pnpm build` leaves it when all is built: as old as the beginning of that, with what was there. */
const stamp = "node_modules/.cache/built";
/** Whatever goes into a build, and some that does not. */
const sources = [
  "{packages,apps}/*/{package.json,tsconfig*.json,*.ts}",
  "{packages,apps}/*/src/**/*.*",
  "{package.json,pnpm-*.yaml,turbo.json,tsup.config.ts,tsconfig*.json}",
];
const ofTests = /\/testing|\.test\b/;

/**
 * True where all of the repository is built, of the sources there are now.
 *
 * It is told by when files changed last, in whatever way: only a build by `pnpm build` counts.
 */
export function isBuilt(root: string = resolve(import.meta.dirname, "..")): boolean {
  const began = statSync(join(root, stamp), { throwIfNoEntry: false })?.mtimeMs;
  if (began === undefined || !isWhole(root)) return false;
  const built = readFileSync(join(root, stamp), "utf8").match(/.+/g) ?? [];
  // What was built and is gone is as good as changed.
  return [...new Set([...built, ...globSync(sources, { cwd: root })])]
    .filter((file) => !ofTests.test(file))
    .every((file) => changedAt(join(root, file)) < began);
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.POSITIVE_INFINITY;
}

/** True where nobody has taken a package's build away since. */
function isWhole(root: string): boolean {
  return globSync("{packages,apps}/*/package.json", { cwd: root }).every((file) => {
    const { scripts } = JSON.parse(readFileSync(join(root, file), "utf8"));
    return scripts?.build === undefined || existsSync(join(root, dirname(file), "dist"));
  });
}
