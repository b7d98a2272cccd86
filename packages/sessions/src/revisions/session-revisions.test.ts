import type { ReadEvent, Session } from "@pond/canonical";
import { sessionFromWire } from "@pond/canonical";
import { expect, it } from "vitest";
import { createIngest } from "../ingest/ingest.ts";
import type { IngestOutcome } from "../ingest/outcome.ts";
import { getSession } from "../read/get.ts";
import { loadLineage } from "../restore/lineage.ts";
import type { SessionStore } from "../session-store.ts";
import {
  allRows,
  demoEvents,
  type IngestDemoOptions,
  ingestDemo,
  streamOf,
  withStore,
} from "../testing.ts";
import { sessionFromCarrier } from "./session-revisions.ts";

/** What a source says of session `s`, and nothing else. */
function state(
  path: string,
  more: object = {},
  unresolved?: "parent" | "cut_point",
): readonly ReadEvent[] {
  const created_at = "2026-03-01T09:00:00.000Z";
  const session = sessionFromWire({
    id: "s",
    source_agent: "demo",
    project: "/home/ada",
    created_at,
    options: { source: { path, exact: 1 } },
    ...more,
  });
  return [{ kind: "session", session, ...(unresolved && { unresolved }) }];
}

/** The same, with the fields of the session the other way around. */
function reversed(event: ReadEvent): ReadEvent {
  if (event.kind !== "session") return event;
  const fields = Object.entries(event.session).toReversed();
  return { ...event, session: Object.fromEntries(fields) as unknown as Session };
}

async function sync(
  sessions: SessionStore,
  events: readonly ReadEvent[],
  hooks: IngestDemoOptions = {},
) {
  const [outcome] = await ingestDemo(sessions, [events], hooks);
  return outcome;
}

async function pathAt(sessions: SessionStore, at: "first" | "last") {
  const { root } = await loadLineage(sessions, "s", { at });
  return root.session.options["source"];
}

it("shows a session as it was last seen, and as it was first (`lance-append-only`)", () =>
  withStore(async (sessions) => {
    await sync(sessions, state("sessions/a"));

    const moved = await sync(sessions, state("archived/a"));

    expect(moved).toMatchObject({ status: "revised", revisions: 1 });
    expect(await pathAt(sessions, "last")).toEqual({ path: "archived/a", exact: 1 });
    expect(await pathAt(sessions, "first")).toEqual({ path: "sessions/a", exact: 1 });
    const { session, messages } = await getSession(sessions, "s", { mode: "verbatim" });
    expect(session.options).toMatchObject({
      source: { path: "archived/a" },
      pond: { host: "here" },
    });
    expect(messages).toEqual([]);
  }));

it("adds nothing when a session says the same again, its parent included, also in another order", () =>
  withStore(async (sessions) => {
    const more = { parent_session_id: "p", parent_message_id: "m" };
    await sync(sessions, state("a", more));
    const rows = await allRows(sessions);

    const again = await sync(sessions, state("a", more));
    const inAnotherOrder = await sync(sessions, state("a", more).map(reversed));

    expect(again).toMatchObject({ status: "unchanged", revisions: 0 });
    expect(inAnotherOrder).toMatchObject({ status: "unchanged", revisions: 0 });
    expect(await allRows(sessions)).toEqual(rows);
  }));

it("follows the path of a session there and back, and learns a parent late", () =>
  withStore(async (sessions) => {
    for (const path of ["a", "b", "a"]) await sync(sessions, state(path));
    expect(await pathAt(sessions, "last")).toMatchObject({ path: "a" });

    await sync(sessions, state("a", { parent_session_id: "p" }));

    const { root } = await loadLineage(sessions, "s");
    expect(root.session.parent_session_id).toBe("p");
    expect(await sync(sessions, state("a", { parent_session_id: "p" }))).toMatchObject({
      status: "unchanged",
    });
  }));

const link = (parent: string, cut?: string) => ({
  parent_session_id: parent,
  ...(cut !== undefined && { parent_message_id: cut }),
});

it.each([
  ["the cut-point", "cut_point", link("p"), link("p", "m")],
  ["parent and cut-point if the parent is now unknown", "parent", {}, link("p", "m")],
  ["parent and cut-point if the parent is now a guess", "parent", link("q"), link("p", "m")],
  ["nothing if the source names another parent", "cut_point", link("q"), link("q")],
  ["nothing if the lookup found no cut-point", undefined, link("p"), link("p")],
] as const)(
  "keeps from an origin that is gone: %s (`session-durable-copy`)",
  (_, unresolved, read, expected) =>
    withStore(async (sessions) => {
      // Stored with the session itself, or with what is said of it now.
      for (const before of [[link("p", "m")], [{}, link("p", "m")]]) {
        const id = `s${before.length}`;
        for (const more of before) await sync(sessions, state("a", { id, ...more }));

        await sync(sessions, state("grown", { id, ...read }, unresolved));
        const again = await sync(sessions, state("grown", { id, ...read }, unresolved));

        expect(again).toMatchObject({ status: "unchanged", revisions: 0 });
        const { session } = (await loadLineage(sessions, id)).root;
        expect(session.options["source"]).toMatchObject({ path: "grown" });
        const { parent_session_id, parent_message_id } = session;
        expect({ parent_session_id, parent_message_id }).toEqual({
          parent_message_id: undefined,
          ...expected,
        });
      }
    }),
);

it("keeps the parent of a session and its relation to it when the parent is gone", () =>
  withStore(async (sessions) => {
    const source = { path: "a", exact: 1 };
    const fork = { options: { source: { ...source, relation: "fork" } } };
    await sync(sessions, state("a", { ...link("p"), ...fork }));

    await sync(sessions, state("a", {}, "parent"));
    const again = await sync(sessions, state("a", {}, "parent"));

    expect(again).toMatchObject({ status: "unchanged", revisions: 0 });
    const { session } = (await loadLineage(sessions, "s")).root;
    expect(session).toMatchObject({ ...link("p"), ...fork });
  }));

it("stores what is known of an origin that is gone, and completes it later", () =>
  withStore(async (sessions) => {
    await sync(sessions, state("a", link("p"), "cut_point"));
    const again = await sync(sessions, state("a", link("p", "m")));

    expect(again).toMatchObject({ revisions: 1 });
    const { session } = (await loadLineage(sessions, "s")).root;
    expect(session).toMatchObject(link("p", "m"));
  }));

it("keeps the labels of the first state (spec 7.6)", () =>
  withStore(async (sessions) => {
    await sync(sessions, state("a"));

    await sync(sessions, state("b", { project: "/elsewhere", source_agent: "other" }));

    const { session } = (await loadLineage(sessions, "s")).root;
    expect([session.project, session.source_agent]).toEqual(["/home/ada", "demo"]);
    expect(await pathAt(sessions, "last")).toMatchObject({ path: "b" });
  }));

it.each([
  [{}, {}],
  [{ pond: { host: "h" } }, { pond: { host: "h" } }],
  [{ pond: "kept" }, { pond: "kept" }],
])(
  "leaves `options.pond` of a session as it is when a carrier revises the session: %j",
  (options, expected) => {
    const created_at = "2026-03-01T09:00:00Z";
    const fields = { id: "s", source_agent: "demo", project: "/", created_at };
    const said = { id: "s", created_at, options: { source: { path: "a" } } };
    const carrier = {
      session_id: "s",
      id: "c",
      options: JSON.stringify({ pond: { session: said } }),
    };

    const revised = sessionFromCarrier(sessionFromWire({ ...fields, options }), carrier);

    expect(revised?.options).toEqual({ source: { path: "a" }, ...expected });
  },
);

it("defers a revision of the session when its source changes meanwhile", () =>
  withStore(async (sessions) => {
    await sync(sessions, state("a"));

    const outcome = await sync(sessions, state("b"), { isUnchanged: async () => false });

    expect(outcome).toMatchObject({ revisions: 0, deferred: 1 });
    expect(await pathAt(sessions, "last")).toMatchObject({ path: "a" });
  }));

it("keeps an origin that another process stores meanwhile", () =>
  withStore(async (sessions) => {
    const ingest = createIngest(sessions, { host: "late", now: () => new Date(1_000) });
    const hooks = { isUnchanged: async () => true, onCommitted: () => {} };
    // It has looked now which sessions there are.
    await ingest.session(streamOf(demoEvents({ id: "other", messages: [] })), hooks);
    await sync(sessions, state("a", link("p", "m")));

    await ingest.session(streamOf(state("b", link("p"), "cut_point")), hooks);
    await ingest.finish();

    const { session } = (await loadLineage(sessions, "s")).root;
    expect(session).toMatchObject({ ...link("p", "m"), options: { source: { path: "b" } } });
  }));

it.each([
  ["shows the later one's state", true, "archived/a", { revisions: 1, deferred: 0 }],
  [
    "is deferred if its source changed meanwhile",
    false,
    "sessions/a",
    { revisions: 0, deferred: 1 },
  ],
])("a session that two processes store at once %s", (_, isUnchanged, path, counts) =>
  withStore(async (sessions) => {
    const outcomes: IngestOutcome[] = [];
    const ingest = createIngest(sessions, { host: "late", now: () => new Date(1_000) });
    const hooks = {
      isUnchanged: async () => isUnchanged,
      onCommitted: (outcome: IngestOutcome) => void outcomes.push(outcome),
    };
    // It has looked now which sessions there are.
    await ingest.session(streamOf(demoEvents({ id: "other", messages: [] })), hooks);
    await sync(sessions, state("sessions/a"));

    await ingest.session(streamOf(state("archived/a", { project: "/home/eve" })), hooks);
    await ingest.finish();

    expect(outcomes[1]).toMatchObject({ ...counts, rejected: true });
    expect(await pathAt(sessions, "last")).toEqual({ path, exact: 1 });
    expect(await pathAt(sessions, "first")).toEqual({ path: "sessions/a", exact: 1 });
  }),
);
