import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  type DemoSession,
  demoEvents,
  ingestDemo,
  said,
  shown,
  streamOf,
  withStore,
} from "../testing.ts";
import { createIngest } from "./ingest.ts";
import type { IngestOutcome } from "./outcome.ts";

const apart = { areClientsApart: true };
const inShop: DemoSession = { id: "s", project: "/shop", messages: [said("a"), said("b")] };
const inBlog: DemoSession = { id: "s", project: "/blog", seconds: 60, messages: [said("c")] };
const shopId = "demo:1767225600000000:s";

/** Reads the one in the shop and something more, while another ingest stores the one in the blog. */
async function losing(sessions: SessionStore, more: DemoSession): Promise<IngestOutcome[]> {
  const outcomes: IngestOutcome[] = [];
  const hooks = {
    isUnchanged: async () => true,
    onCommitted: (outcome: IngestOutcome) => void outcomes.push(outcome),
  };
  const ingest = createIngest(sessions, { ...apart, now: () => new Date(1) });
  await ingest.session(streamOf(demoEvents(inShop)), hooks);
  await ingestDemo(sessions, [inBlog], { ...apart, now: () => new Date(2) });
  await ingest.session(streamOf(demoEvents(more)), hooks);
  await ingest.finish();
  return outcomes;
}

it("takes nothing out of the session that got the id, when it comes to read that itself", () =>
  withStore(async (sessions) => {
    const outcomes = await losing(sessions, inBlog);
    const [later] = await ingestDemo(sessions, [inShop], { ...apart, now: () => new Date(3) });

    expect(outcomes).toMatchObject([
      { session_id: undefined, deferred: 1 },
      { session_id: "s", status: "unchanged", rejected: false },
    ]);
    expect(later).toMatchObject({ session_id: shopId, status: "new" });
    expect(await shown(sessions, "s")).toEqual(["c: This is c."]);
    expect(await shown(sessions, shopId)).toEqual(["a: This is a.", "b: This is b."]);
  }));

it("adds nothing to that from a second place of the one that did not get it", () =>
  withStore(async (sessions) => {
    const grown = { ...inShop, messages: [...inShop.messages, said("more")] };
    const outcomes = await losing(sessions, grown);
    const [later] = await ingestDemo(sessions, [inShop], { ...apart, now: () => new Date(3) });

    expect(outcomes).toMatchObject([
      { session_id: undefined, deferred: 1 },
      { session_id: shopId, status: "new", messages_added: 3 },
    ]);
    expect(later).toMatchObject({ session_id: shopId, messages_added: 0 });
    expect(await shown(sessions, "s")).toEqual(["c: This is c."]);
  }));
