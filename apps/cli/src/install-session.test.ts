import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionFromWire } from "@pond/canonical";
import type { Adapter } from "@pond/canonical/adapter";
import type { Restored } from "@pond/sessions";
import { afterEach, beforeEach, expect, it } from "vitest";
import { installSession } from "./install-session.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-install-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("gives a client that keeps a database its session by the adapter's own way", async () => {
  const session = sessionFromWire({
    ...{ id: "s", source_agent: "loom", project: "/x", created_at: "2026-03-01T09:00:00Z" },
    options: {},
  });
  const part = { isNative: true, fidelity: {} };
  const restored: Restored = {
    ...{ ...part, files: [{ session: session.id, path: "rows/s", content: ["row"], part }] },
    ...{ inheritedFrom: new Map(), incomplete: [], damaged: [] },
  };
  const saved: string[][] = [];
  const adapter: Adapter = {
    origin: "loom",
    homes: () => [folder],
    from: () => expect.fail("nothing is there to read"),
    to: { origin: "loom", writeNative: () => [], writeForeign: () => [] },
    copyState: () => "missing",
    save: async (file, content) => void saved.push([file, ...content].map(String)),
  };
  const content = { session, messages: [] };

  const target = { content, adapter, folder, copies: new Map(), isForced: false };
  const { written } = await installSession(restored, target);

  expect(written).toEqual(restored.files);
  expect(saved).toEqual([[join(folder, "rows/s"), "row"]]);
  expect(existsSync(join(folder, "rows/s"))).toBe(false);
});
