import { readFileSync } from "node:fs";
import { published } from "./packages.ts";
import { pnpm } from "./stage.ts";

/** Allowed licences of everything that pond installs: each permits anybody to use and share it. */
const allowed: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "PSF-2.0",
  "Unlicense",
];

/** A package that comes with pond. */
export type Licensed = { readonly name: string; readonly licence: string };

/**
 * Everything that the published packages depend on or hold, by name. A build for one platform goes
 * by the name of the package that it is a build of.
 */
export async function licencesOf(): Promise<readonly Licensed[]> {
  const filters = published.map(({ manifest }) => `--filter=${manifest.name}`);
  const { stdout } = await pnpm([...filters, "licenses", "list", "--prod", "--json"], ".");
  const byLicence: Record<string, { name: string }[]> = JSON.parse(stdout);
  const licences = new Map(
    Object.entries(byLicence).flatMap(([licence, packages]) =>
      packages.map(({ name }) => [name.replace(/-(linux|darwin|win32)-.*/, ""), licence]),
    ),
  );
  for (const [name, licence] of bundled()) licences.set(name, licence);
  return [...licences]
    .map(([name, licence]) => ({ name, licence }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The bundled packages, from a file that our build wrote. */
function bundled(): readonly (readonly [name: string, licence: string])[] {
  const text = readFileSync("packages/substrate/dist/lancedb/LICENSES.txt", "utf8");
  const heads = text.matchAll(/^={80}\n(\S+) \S+: (.+)$/gm);
  return [...heads].map(([, name = "", licence = ""]) => [name, licence]);
}

/** A licence with a choice is allowed if one of the choices is. */
export function isAllowed(licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((each) => allowed.includes(each)));
}

export function pageOf(licensed: readonly Licensed[]): string {
  const licences = [...new Set(licensed.map(({ licence }) => licence))].sort();
  const sections = licences.map((licence) => {
    const names = licensed.filter((each) => each.licence === licence).map(({ name }) => name);
    return `## ${licence}\n\n${names.join(", ")}\n`;
  });
  return `# Licences

Pond is under Apache-2.0. What its packages bring along, ${licensed.length} packages by other people,
is under the licences below. Made from the lockfile by
\`UPDATE=1 npx pnpm@12.21.0 exec vitest run checks/release\`; the tests compare it, and refuse
other licences.

${sections.join("\n")}`;
}
