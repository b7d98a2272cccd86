import { sessionFromWire } from "@pond/canonical";
import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { ingestDemo, withStore } from "../testing.ts";
import { revisedParents } from "./revised-parents.ts";

async function ingestBelow(sessions: SessionStore, parent: string | undefined): Promise<void> {
  const created_at = "2026-03-01T09:00:00.000Z";
  const session = sessionFromWire({
    ...{ id: "s", source_agent: "demo", project: "/home/ada", created_at, options: {} },
    ...(parent && { parent_session_id: parent }),
  });
  await ingestDemo(sessions, [[{ kind: "session", session }]]);
}

const askAtOnce = ({ store }: SessionStore) =>
  Promise.all(Array.from({ length: 8 }, () => revisedParents(store)));

it("gives concurrent callers the same result, before any parent was revised and after", () =>
  withStore(async (sessions) => {
    await ingestBelow(sessions, undefined);
    const none = await askAtOnce(sessions);
    expect(new Set(none).size).toBe(1);

    for (const parent of ["p", "q"]) {
      await ingestBelow(sessions, parent);
      const some = await askAtOnce(sessions);
      expect(new Set(some).size).toBe(1);
      expect(some[0]?.get("s")).toMatchObject({ parentId: parent, isFork: false });
    }
    expect(none[0]?.size).toBe(0);
  }));
