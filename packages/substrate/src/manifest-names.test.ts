import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isManifest, manifestAt, versionOf, versionsFolder } from "./manifest-names.ts";
import { numbered } from "./testing/catalogue.ts";
import { onFolders, openCatalogue, temporaryFolder } from "./testing/store.ts";

describe.each([
  [1, "18446744073709551614.manifest"],
  [2, "18446744073709551613.manifest"],
  [1_616, "18446744073709549999.manifest"],
  [2 ** 53, "18437736874454810623.manifest"],
  [2 ** 63, "09223372036854775807.manifest"],
])("the manifest of version %d", (version, name) => {
  const path = join("parts.lance", "_versions", name);

  it("is found by its version", () => {
    expect(manifestAt("parts.lance", version)).toBe(path);
  });

  it("tells its version by its name", () => {
    expect(versionOf(path)).toBe(version);
  });
});

it.each([
  ["18446744073709551614.manifest", true],
  ["18446744073709551614.manifest.broken", false],
  ["18446744073709551614.manifest-0f0f", false],
  ["1.manifest", false],
  ["latest_version_hint.json", false],
])("isManifest(%s) returns %s", (name, expected) => {
  expect(isManifest(name)).toBe(expected);
});

const ofFolders = onFolders("manifests of a bucket are looked at by the engine alone");

ofFolders(
  "versionOf and manifestAt know the names that the engine gives its manifests",
  async () => {
    const folder = temporaryFolder();
    const home = join(folder, "parts.lance");
    const store = await openCatalogue(folder);
    await store.table("parts").insert(numbered(1));
    store.close();

    const names = readdirSync(versionsFolder(home)).filter(isManifest);
    const versions = names.map(versionOf).sort((a, b) => a - b);

    expect(versions).toEqual([...names.keys()].map((index) => index + 1));
    expect(versions.map((version) => basename(manifestAt(home, version))).sort()).toEqual(
      names.sort(),
    );
  },
);
