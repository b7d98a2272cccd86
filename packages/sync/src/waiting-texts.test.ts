import { readBacklog } from "@pond/sessions/embeddings";
import { expect, it, vi } from "vitest";
import { fakeEmbedder, importTexts } from "./embed.test-kit.ts";
import { embedMessages } from "./embed.ts";
import { withBench } from "./sync.test-kit.ts";
import { WaitingTexts } from "./waiting-texts.ts";

it("skips messages that another process embedded meanwhile in a few large reads", () =>
  withBench(async ({ sessions, ...bench }) => {
    await importTexts({ sessions, ...bench }, 96);
    const page = await readBacklog(sessions, "model-a", 96);
    await embedMessages(sessions, fakeEmbedder(), { now: () => new Date() });
    const read = vi.spyOn(sessions.store, "table");

    for await (const batch of new WaitingTexts(sessions, "model-a", 64).batchesOf(page)) {
      expect(batch).toEqual([]);
    }

    expect(read.mock.calls.length).toBeLessThanOrEqual(6);
  }));
