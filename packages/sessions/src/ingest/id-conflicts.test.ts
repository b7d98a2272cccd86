import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  type DemoSession,
  demoEvents,
  failingInserts,
  ingestDemo,
  said,
  shown,
  streamOf,
  withStore,
} from "../testing.ts";
import { createIngest } from "./ingest.ts";
import type { IngestOutcome } from "./outcome.ts";

const apart = { shouldQualifyIds: true };
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

it("removes nothing from the session that got the id when the losing ingest reads that session itself", () =>
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

it("adds nothing to the session that got the id from a second place of the one that lost it", () =>
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

it("stores the sessions that came with the one that lost its id", () =>
  withStore(async (sessions) => {
    const outcomes = await losing(sessions, { id: "other", messages: [said("o"), said("p")] });

    expect(outcomes).toMatchObject([
      { session_id: undefined, deferred: 1 },
      { session_id: "other", status: "new", messages_added: 2 },
    ]);
    expect(await shown(sessions, "s")).toEqual(["c: This is c."]);
    expect(await shown(sessions, "other")).toEqual(["o: This is o.", "p: This is p."]);
  }));

it("keeps a copy from another project in the session that was stored at the same time", () =>
  withStore(async (sessions) => {
    const hooks = { isUnchanged: async () => true, onCommitted: () => undefined };
    const copied = { ...inShop, project: "/blog", messages: [...inShop.messages, said("more")] };
    const ingests = [1, 2].map((at) =>
      createIngest(sessions, { ...apart, now: () => new Date(at) }),
    );
    for (const [at, demo] of [inShop, copied].entries()) {
      await ingests[at]?.session(streamOf(demoEvents(demo)), hooks);
    }
    for (const ingest of ingests) await ingest.finish();
    await ingestDemo(sessions, [inBlog], { ...apart, now: () => new Date(3) });

    const texts = ["a: This is a.", "b: This is b.", "more: This is more."];
    expect(await shown(sessions, "s")).toEqual(texts);
  }));

it("removes an interrupted session's messages from another session once the two are told apart", () =>
  withStore(async (sessions) => {
    const killed = failingInserts(sessions, "sessions");
    await expect(ingestDemo(killed, [inBlog], apart)).rejects.toThrow("no space");
    await ingestDemo(sessions, [inShop], { now: () => new Date(2) });
    const before = await shown(sessions, "s");

    const [outcome] = await ingestDemo(sessions, [inBlog], { ...apart, now: () => new Date(3) });

    expect(before).toContain("c: This is c.");
    expect(outcome).toMatchObject({ session_id: "demo:1767225660000000:s", messages_added: 1 });
    expect(await shown(sessions, "s")).toEqual(["a: This is a.", "b: This is b."]);
  }));

it("shows a message of both sessions when the one that gets the id comes in several batches", () =>
  withStore(async (sessions) => {
    const mode = { id: "mode", role: "carrier" } as const;
    const killed = failingInserts(sessions, "sessions");
    const left = { ...inShop, messages: [mode, said("a")] };
    await expect(ingestDemo(killed, [left], apart)).rejects.toThrow("no space");
    const long = "x".repeat(3000);
    const big = { ...inBlog, messages: [mode, said("c", long), said("d", long)] };

    const options = { ...apart, maxBatchBytes: 4000 };
    const [first] = await ingestDemo(sessions, [big], { ...options, now: () => new Date(2) });
    const [again] = await ingestDemo(sessions, [big], { ...options, now: () => new Date(3) });

    expect(first).toMatchObject({ session_id: "s", status: "new", deferred: 1 });
    expect(again).toMatchObject({ session_id: "s", messages_added: 0, deferred: 0 });
    expect(await shown(sessions, "s")).toEqual(["mode", `c: ${long}`, `d: ${long}`]);
  }));
