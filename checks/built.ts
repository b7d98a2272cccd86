import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** `pnpm build` leaves it when all is built; it is as old as the beginning of that. */
const stamp = "node_modules/.cache/built";
/** Whatever goes into a build, and some that does not. */
const sources = [
  "{packages,apps}/*/{package.json,*.ts}",
  "{packages,apps}/*/src/**/*.*",
  "{pnpm-lock.yaml,tsup.config.ts,tsconfig.json,tsconfig.build.json}",
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
  return globSync(sources, { cwd: root })
    .filter((file) => !ofTests.test(file))
    .every((file) => statSync(join(root, file)).ctimeMs < began);
}

/** True where nobody has taken a package's build away since. */
function isWhole(root: string): boolean {
  return globSync("{packages,apps}/*/package.json", { cwd: root }).every((file) => {
    const { scripts } = JSON.parse(readFileSync(join(root, file), "utf8"));
    return scripts?.build === undefined || existsSync(join(root, dirname(file), "dist"));
  });
}
