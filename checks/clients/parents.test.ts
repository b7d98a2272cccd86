import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapterNamed } from "@pond/adapters";
import { writeFiles } from "@pond/sessions";
import { afterAll, expect, test } from "vitest";
import { writeForeignChild } from "../pairs/foreign-child.ts";
import { installCodex, threadIdOf } from "./codex.ts";
import { readThreads } from "./codex-app-server.ts";
import { installOpencode, startOpencode } from "./opencode.ts";

const temporary = mkdtempSync(join(tmpdir(), "pond-parents-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const codex = (await installCodex()) ?? "";
const opencode = (await installOpencode()) ?? "";

test.skipIf(codex === "")(
  "Codex shows which session a translated fork came from, and which one spawned a translated sub-agent",
  async () => {
    const forked = await written("codex", { relation: "fork" });
    const spawned = await written("codex", {});
    const ids = [forked, spawned].map(({ path }) => threadIdOf(path));

    const fork = await readThreads(codex, forked.folder, ids.slice(0, 1));
    const agent = await readThreads(codex, spawned.folder, ids.slice(1));

    expect(fork.threads).toMatchObject([{ forkedFrom: forked.parent, spawnedBy: null }]);
    expect(agent.threads).toMatchObject([{ forkedFrom: null, spawnedBy: spawned.parent }]);
    expect(fork.listed.toSorted()).toEqual([forked.parent, ids[0]].toSorted());
    expect(agent.listed).toEqual([spawned.parent]);
  },
  120_000,
);

test.skipIf(opencode === "")(
  "opencode imports a translated sub-agent below the parent session that it already has",
  async () => {
    const { folder, parent, path, parentPath } = await written("opencode", {});
    const client = await startOpencode(opencode);
    try {
      await client.import(join(folder, parentPath));
      await client.import(join(folder, path));

      const id = /ses_\w+/.exec(path)?.[0] ?? "";
      expect((await client.shown(id))["info"]).toMatchObject({ id, parentID: parent });
      expect(await client.listed()).toEqual([parent]);
    } finally {
      await client.end();
    }
  },
  180_000,
);

/** A session of the client and one below it, in a separate folder. */
async function written(origin: string, source: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(temporary, "home-"));
  const { parent, native, below } = await writeForeignChild(adapterNamed(origin), source);
  await writeFiles([...native, ...below], folder);
  const pathOf = (files: typeof native): string => files[0]?.path ?? "";
  return { folder, parent: parent.session.id, parentPath: pathOf(native), path: pathOf(below) };
}
