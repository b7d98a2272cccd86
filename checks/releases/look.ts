// Looks at one release, in a process of its own: what that leaves behind is ended with it.
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Examined, examine } from "../clients/examine.ts";
import type { Step } from "../clients/generated.ts";
import { make, releaseNamed } from "./release.ts";

/** What was found of a release. */
export type Look = Examined & {
  /** What it could not do, and why. */
  readonly cannot: readonly string[];
};

const [, , name = "", answer = "", kept] = process.argv;
const release = releaseNamed(name);
const cannot: string[] = [];

/** No step takes so long, except one that waits for what this release never says. */
const longestMs = 60_000;

const step: Step = async (what, work) => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("takes too long")), longestMs);
  try {
    await Promise.race([work(), late.promise]);
    return true;
  } catch (error) {
    cannot.push(`${what}: ${String(error instanceof Error ? error.message : error).slice(-300)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
};

const generated = await make(release, step);
if (kept !== undefined) {
  cpSync(generated.folder, kept, {
    recursive: true,
    // Not sessions, and large.
    filter: (path) => !/node_modules|\/(?:bin|packages|snapshot)\/|\.sock$/.test(path),
  });
}
const examined = await examine(release.origin, generated, mkdtempSync(join(tmpdir(), "look-")));
// Of a release that does nothing, nothing is found.
const nothing = examined.sessions === 0 ? ["made no session"] : [];
const look: Look = { ...examined, problems: [...examined.problems, ...nothing], cannot };
writeFileSync(answer, JSON.stringify(look));
// A client that does not end is ended with this process's group.
process.exit(0);
