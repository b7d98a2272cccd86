import type { Origin } from "@pond/canonical/adapter";
import { installClaudeCode } from "../clients/claude-code.ts";
import { installCodex } from "../clients/codex.ts";
import { generateClaudeCode } from "../clients/generate-claude-code.ts";
import { generateCodex } from "../clients/generate-codex.ts";
import { generateOpencode } from "../clients/generate-opencode.ts";
import { generatePi } from "../clients/generate-pi.ts";
import type { Generated, Step } from "../clients/generated.ts";
import { installOpencode } from "../clients/opencode.ts";
import { installOmp, installPi } from "../clients/pi.ts";

/** One release of a client, such as `codex@0.121.0`. */
export type Release = { readonly origin: Origin; readonly version: string };

type Make = (version: string, step: Step) => Promise<Generated>;

/** How a release of each client is installed and run. */
const makers: Readonly<Record<Origin, Make>> = {
  "claude-code": async (version, step) =>
    generateClaudeCode(there(await installClaudeCode(version)), step),
  codex: async (version, step) => generateCodex(there(await installCodex(version)), step),
  opencode: async (version, step) => generateOpencode(there(await installOpencode(version)), step),
  pi: async (version, step) =>
    generatePi(there(await installPi(version, ...formerScope(version))), step),
  omp: async (version, step) => generatePi(there(await installOmp(version)), step),
};

/** @throws {TypeError} for anything other than a client and a version. */
export function releaseNamed(name: string): Release {
  const [origin = "", version = "", ...more] = name.split("@");
  if (!Object.hasOwn(makers, origin) || !/^\d/.test(version) || more.length > 0) {
    const known = Object.keys(makers).join(", ");
    throw new TypeError(`${name} is no release, such as codex@0.121.0; clients are ${known}`);
  }
  return { origin, version };
}

/** Installs a release and runs it. */
export async function make({ origin, version }: Release, step: Step): Promise<Generated> {
  const maker = makers[origin];
  if (maker === undefined) throw new TypeError(`no client ${origin}`);
  return maker(version, step);
}

function there<T>(client: T | undefined): T {
  if (client === undefined) throw new Error("has no build for this platform");
  return client;
}

/** pi was published under another name up to 0.73. */
function formerScope(version: string): readonly [scope: string] | readonly [] {
  const [major, minor] = version.split(".").map(Number);
  return major === 0 && Number(minor) <= 73 ? ["@mariozechner"] : [];
}
