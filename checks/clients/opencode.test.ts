import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingFromHistory } from "./missing-from-history.ts";
import { historyFromExport } from "./model-history.ts";
import { comparable, installOpencode, type Opencode, startOpencode } from "./opencode.ts";
import { chosenSources, foreignTo, homesOf, spread } from "./sources.ts";
import { contentsOf, lineageOf, once, restoreForeign, restoreHome, storeHome } from "./stored.ts";

const origin = "opencode";
const temporary = mkdtempSync(join(tmpdir(), "pond-opencode-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const binary = (await installOpencode()) ?? "";

const restoredHome = once(async (home) => {
  const folder = mkdtempSync(join(temporary, "home-"));
  await restoreHome(await storeHome(origin, home, temporary), folder);
  return folder;
});

const exportsIn = homesOf(origin).map((home) => ({
  home,
  files: globSync("exports/*.json", { cwd: home }).sort(),
}));
const exports = exportsIn.flatMap(({ home, files }) =>
  // The client also exports one session of each home, for which it has to be started once more.
  spread(files, 3).map((file, index) => ({ home, file, isExported: index === 0 })),
);

describe.skipIf(binary === "")("opencode", { timeout: 180_000 }, () => {
  let opencode: Opencode;
  beforeAll(async () => {
    opencode = await startOpencode(binary);
  });
  afterEach(() => opencode.forget());
  afterAll(() => opencode.end());

  test.each(exports)(
    "imports $file, restored by pond, unchanged",
    async ({ home, file, isExported }) => {
      const before = readExport(join(home, file));
      const path = join(await restoredHome(home), file);

      await opencode.import(path);
      const id = basename(file, ".json");
      const after = await opencode.shown(id);

      expect(comparable(after)).toEqual(comparable(before));
      // This proves that what it shows may stand for an export, here and below.
      if (isExported) expect(comparable(await opencode.export(id))).toEqual(comparable(after));
    },
  );

  describe.each(foreignTo(origin))("given sessions of %s", async (foreign) => {
    const store = once((home) => storeHome(foreign, home, temporary));

    // The client starts once for every file.
    test.each(await chosenSources(foreign, 1))(
      "imports $key with all its messages, tool calls and results",
      async ({ home, key }) => {
        const lineage = await lineageOf(await store(home), key);
        const folder = mkdtempSync(join(temporary, "home-"));
        const files = await restoreForeign(lineage, origin, folder);
        const written = files.map(({ path }) => readExport(join(folder, path)));

        for (const { path } of files) await opencode.import(join(folder, path));
        const taken: JsonObject[] = [];
        for (const each of written) taken.push(await opencode.shown(idOf(each)));
        const listed = await opencode.listed();

        expect(taken.map(comparable)).toEqual(written.map(comparable));
        expect(listed).toContain(idOf(written[0] ?? {}));
        const lost = contentsOf(lineage).map((content) => {
          const index = files.findIndex(({ session }) => session === content.session.id);
          return missingFromHistory(content, historyFromExport(taken[index] ?? null), origin);
        });
        expect(lost).toEqual(files.map(() => []));
      },
    );
  });
});

function readExport(path: string): JsonObject {
  const value: JsonValue = parseJson(readFileSync(path, "utf8"));
  if (!isJsonObject(value)) throw new TypeError(`${path} holds no session`);
  return value;
}

function idOf({ info }: JsonObject): string {
  return isJsonObject(info) ? String(info["id"]) : "";
}
