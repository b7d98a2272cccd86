// Examines one release in a process of its own: processes that the release leaves end with it.
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Examination, examine } from "../clients/examine.ts";
import type { Step } from "../clients/generated.ts";
import { make, releaseNamed } from "./release.ts";

/** The result for one release. */
export type ReleaseReport = Examination & {
  /** The steps that the release could not do, and why. */
  readonly cannot: readonly string[];
};

const [, , name = "", answer = "", kept] = process.argv;
const release = releaseNamed(name);
const cannot: string[] = [];

/** No step takes this long, except one that waits for an event that this release never sends. */
const maxStepMs = 60_000;

const step: Step = async (what, work) => {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error("takes too long")), maxStepMs);
  try {
    await Promise.race([work(), timeout.promise]);
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
    // These files are large and hold no sessions.
    filter: (path) => !/node_modules|\/(?:bin|packages|snapshot)\/|\.sock$/.test(path),
  });
}
const examined = await examine(release.origin, generated, mkdtempSync(join(tmpdir(), "look-")));
// A release that does nothing would show no problems.
const nothing = examined.sessions === 0 ? ["made no session"] : [];
const report: ReleaseReport = { ...examined, problems: [...examined.problems, ...nothing], cannot };
writeFileSync(answer, JSON.stringify(report));
// A client that does not end is ended together with this process's group.
process.exit(0);
