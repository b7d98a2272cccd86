import type { Adapter } from "@pond/canonical/adapter";
import type { AdapterChoice } from "./choose-adapters.ts";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";

/** What to say about clients that have no place here: about each that was named, or about all. */
export function describeMissing(
  context: Context,
  { adapters, sources }: AdapterChoice,
  names: readonly string[],
): readonly SafeText[] {
  if (names.length > 0) {
    const missing = adapters.filter(
      ({ origin }) => !sources.some(({ adapter }) => adapter === origin),
    );
    return missing.map((adapter) => describe(context, adapter));
  }
  if (sources.length > 0) return [];
  return [
    safeText(
      "No client's sessions were found: `pond adapters` says where pond looks. `pond sync CLIENT --path DIR` reads a copy.",
    ),
  ];
}

function describe({ home, env }: Context, adapter: Adapter): SafeText {
  const name = safeLine(adapter.origin);
  const places = adapter.homes({ home, env }).map((path) => shortenHome(path, home));
  if (places.length === 0) return describeClientWithoutHome(name);
  const where = safeLine(places.join(", "));
  return safe`Nothing of ${name} is here: pond looked for ${where}. \`pond sync ${name} --path DIR\` reads a copy.`;
}

/** About a client without a usual place, if none was named. */
export function describeClientWithoutHome(name: SafeText): SafeText {
  return safe`${name} has no folder of its own: \`pond sync ${name} --path DIR\` reads one, and \`paths\` of [adapters.${name}] in config.toml names it permanently.`;
}
