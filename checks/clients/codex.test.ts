import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { partsOf } from "@pond/canonical";
import type { RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { titleOf } from "@pond/canonical/foreign";
import { afterAll, describe, expect, test } from "vitest";
import { configuredModel, installCodex, resumeCodex, rolloutsIn, threadIdOf } from "./codex.ts";
import { codexServers } from "./codex-server.ts";
import { missingFromHistory, withoutCalls } from "./missing-from-history.ts";
import { historyFromItems, historyFromThread } from "./model-history.ts";
import { stubAnswer } from "./model-stub.ts";
import { chosenSources, foreignTo, homesOf, spread } from "./sources.ts";
import { contentsOf, lineageOf, once, restoreForeign, restoreHome, storeHome } from "./stored.ts";

const origin = "codex";
const temporary = mkdtempSync(join(tmpdir(), "pond-codex-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const binary = (await installCodex()) ?? "";

const restoredHome = once(async (home) => {
  const folder = mkdtempSync(join(temporary, "home-"));
  await restoreHome(await storeHome(origin, home, temporary), folder);
  return folder;
});

const homes = homesOf(origin);
const rollouts = homes.flatMap((home) =>
  // In order of time, and so of version.
  spread(rolloutsIn(home), 8).map((rollout, index) => ({
    ...{ home, rollout, id: threadIdOf(rollout) },
    // The command also resumes one session of each home.
    isRun: index === 0,
  })),
);

describe.skipIf(binary === "")("Codex", { timeout: 120_000 }, () => {
  const [originals, copies, translated] = [1, 2, 3].map(() => codexServers(binary));
  if (!originals || !copies || !translated) throw new TypeError("three were made");
  afterAll(() => Promise.all([originals, copies, translated].map((servers) => servers.end())));

  // Done before any session is resumed, which changes it. In the last home, threads have names.
  test.each([...homes, resolve("fixtures", "codex", "named", "input")])(
    "shows every session of %s the same after pond restored the home",
    async (home) => {
      const ids = rolloutsIn(home).map(threadIdOf);

      const before = await (await originals.holding(home)).threads(ids);
      const after = await (await copies.holding(await restoredHome(home))).threads(ids);

      expect(before.listed.filter((id) => ids.includes(id))).not.toEqual([]);
      expect(after).toEqual(before);
    },
  );

  test.each(rollouts)(
    "resumes $id from pond exactly as from its own file",
    async ({ home, rollout, id, isRun }) => {
      const copy = await restoredHome(home);

      const before = await (await originals.holding(home)).resume(rollout);
      const after = await (await copies.holding(copy)).resume(rollout);

      expect(before.history.length).toBeGreaterThan(1);
      expect(after).toEqual({ ...before, answer: stubAnswer });
      // This shows that the server may stand for the command, here and below.
      if (isRun) expect(await resumeCodex(binary, copy, rollout, id)).toEqual(after);
    },
  );

  describe.each(foreignTo(origin))("given sessions of %s", async (foreign) => {
    const store = once((home) => storeHome(foreign, home, temporary));

    test.each(await chosenSources(foreign, 3))(
      "resumes and shows $key with all its messages, tool calls and results",
      async ({ home, key }) => {
        const lineage = await lineageOf(await store(home), key);
        const folder = mkdtempSync(join(temporary, "home-"));
        const files = await restoreForeign(lineage, origin, folder);
        const rollout = files.filter(({ path }) => threadIdOf(path) !== "");
        const ids = rollout.map(({ path }) => threadIdOf(path));
        const [main = ""] = ids;

        const server = await translated.holding(folder);
        const { listed, threads } = await server.threads(ids);
        const { history, answer, models } = await server.resume(pathOf(rollout));

        expect(answer).toBe(stubAnswer);
        expect(models).toEqual([configuredModel]);
        expect(threads[0]?.name).toBe(titleOf(lineage.root.messages)?.text ?? null);
        expect(missingFromHistory(lineage.root, historyFromItems(history), origin)).toEqual([]);
        // The client looks for a prompt at the beginning of the file.
        if (isBegunByHuman(lineage.root)) expect(listed).toContain(main);
        const unseen = rollout.flatMap(({ session }, index) => {
          const content = contentsOf(lineage).find((each) => each.session.id === session);
          return content
            ? missingFromHistory(
                withoutCalls(content),
                historyFromThread(threads[index]?.items ?? []),
                origin,
              )
            : [`a file of no session: ${session}`];
        });
        expect(unseen).toEqual([]);
      },
    );
  });
});

/** Whether the first text was typed. */
function isBegunByHuman({ messages }: SessionContent): boolean {
  const first = messages.find((message) =>
    partsOf(message).some(({ provenance }) => provenance === "conversational"),
  );
  return first?.role === "user";
}

function pathOf([file]: readonly RestoredFile[]): string {
  return file?.path ?? "";
}
