import { eq } from "@pond/substrate";
import { expect, it, vi } from "vitest";
import { loadLineage } from "../restore/lineage.ts";
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
import { createIngest, type Ingest } from "./ingest.ts";
import type { IngestOutcome } from "./outcome.ts";

const apart = { shouldQualifyIds: true };
const shared = [said("a"), said("b")];
const ofPi: DemoSession = { id: "s", agent: "pi", messages: [...shared, said("in pi")] };
const ofOmp: DemoSession = { id: "s", agent: "omp", messages: [...shared, said("in omp")] };
const below: DemoSession = { id: "t", agent: "omp", parent: "s", messages: [said("c")] };

const mode: DemoSession["messages"][number] = { id: "mode", role: "carrier" };
const inShop: DemoSession = { id: "s", project: "/shop", messages: [mode, said("a"), said("b")] };
/** Begun in another directory under an id that is taken: a program chose it. */
const inBlog: DemoSession = {
  id: "s",
  project: "/blog",
  seconds: 60,
  messages: [mode, said("c"), said("d")],
};
const ofBlog: DemoSession = { id: "t", parent: "s", project: "/blog", messages: [said("e")] };
const blogId = "demo:1767225660000000:s";

async function sessionsIn({ store }: SessionStore): Promise<unknown[]> {
  const columns = ["id", "source_agent", "parent_session_id"];
  const rows = await store.table("sessions").rows({ columns });
  return rows.map((row) => columns.map((column) => row[column])).sort();
}

it("keeps sessions of two clients with the same id apart, as from a copied folder", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi], apart);

    const outcomes = await ingestDemo(sessions, [ofOmp, below], apart);

    expect(outcomes).toMatchObject([
      { session_id: "omp:s", status: "new", messages_added: 3, rejected: false },
      { session_id: "t", status: "new" },
    ]);
    expect(await sessionsIn(sessions)).toEqual([
      ["omp:s", "omp", null],
      ["s", "pi", null],
      ["t", "omp", "omp:s"],
    ]);
    expect(await shown(sessions, "s")).toEqual([
      "a: This is a.",
      "b: This is b.",
      "in pi: This is in pi.",
    ]);
    expect(await shown(sessions, "omp:s")).toEqual([
      ...["a: This is a.", "b: This is b.", "in omp: This is in omp."],
    ]);
  }));

it("recognizes sessions of two clients with one id, and follows their changes", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi, ofOmp], apart);

    const again = await ingestDemo(sessions, [ofOmp, ofPi], apart);
    const grown = { ...ofOmp, messages: [...shared, said("in omp", "Anew."), said("more")] };
    const later = await ingestDemo(sessions, [grown], apart);

    expect(again.map(({ session_id, status }) => [session_id, status])).toEqual([
      ["omp:s", "unchanged"],
      ["s", "unchanged"],
    ]);
    expect(later).toMatchObject([{ session_id: "omp:s", messages_added: 1, revisions: 1 }]);
    expect(await shown(sessions, "omp:s")).toContain("in omp: Anew.");
    expect(await shown(sessions, "s")).toHaveLength(3);
  }));

it("recognizes a session under CLIENT:ID when the other client's session is not stored", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [{ ...ofOmp, id: "omp:s" }], apart);

    const outcomes = await ingestDemo(sessions, [ofOmp, below, ofPi], apart);

    expect(outcomes).toMatchObject([
      { session_id: "omp:s", status: "unchanged" },
      { session_id: "t", status: "new" },
      { session_id: "s", status: "new" },
    ]);
    expect(await sessionsIn(sessions)).toEqual([
      ["omp:s", "omp", null],
      ["s", "pi", null],
      ["t", "omp", "omp:s"],
    ]);
  }));

/** A fork that both clients have. */
function fork(agent: string): DemoSession {
  return { id: "f", agent, parent: "s", messages: shared };
}

it("attaches a copied fork to its copied parent, whichever comes first", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [fork("pi"), ofPi, fork("omp"), ofOmp], apart);

    expect(await sessionsIn(sessions)).toEqual([
      ["f", "pi", "s"],
      ["omp:f", "omp", "omp:s"],
      ["omp:s", "omp", null],
      ["s", "pi", null],
    ]);
  }));

it.each([
  ["of another client", [ofPi, below, ofOmp], "omp:s"],
  ["of another project", [inShop, ofBlog, inBlog], blogId],
  [
    "of a folder above its project",
    [inShop, { ...inShop, project: "/", seconds: 30, messages: [said("r")] }, ofBlog, inBlog],
    blogId,
  ],
])(
  "attaches a session to a parent that is read later and shares its id with a session %s",
  (_, all, id) =>
    withStore(async (sessions) => {
      const outcomes = await ingestDemo(sessions, all, apart);
      const again = await ingestDemo(sessions, all, apart);

      expect(outcomes.map(({ status }) => status)).toEqual(all.map(() => "new"));
      expect(again.map(({ status }) => status)).toEqual(all.map(() => "unchanged"));
      const belowOf = async (root: string) => {
        const { descendants } = await loadLineage(sessions, root);
        return descendants.map(({ session, messages }) => [session.id, messages.length]);
      };
      expect([await belowOf(id), await belowOf("s")]).toEqual([[["t", 1]], []]);
    }),
);

it("moves a session from another client's parent to its own client's parent once that is stored", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi, below], apart);

    await ingestDemo(sessions, [ofOmp], apart);
    const rows = await sessions.store.table("messages").count();
    const again = await ingestDemo(sessions, [below, ofOmp], apart);

    const { descendants } = await loadLineage(sessions, "omp:s");
    expect(descendants.map(({ session }) => session.id)).toEqual(["t"]);
    expect(again.map(({ status }) => status)).toEqual(["unchanged", "unchanged"]);
    expect(await sessions.store.table("messages").count()).toBe(rows);
  }));

it.each([
  ["a nearer parent that is stored later", "/blog/src", 90, [inBlog], blogId],
  ["no other parent when it already has the nearest", "/shop/src", 90, [inBlog], "s"],
  ["no nearer parent that began after it", "/blog/src", 30, [inBlog], "s"],
  [
    "no parent that is farther away",
    "/shop",
    -30,
    [{ ...inBlog, project: "/", seconds: -60 }],
    "s",
  ],
  [
    "the nearest of several parents that are stored later",
    "/blog/src",
    90,
    [{ ...inBlog, project: "/", seconds: 30, messages: [said("r")] }, inBlog],
    blogId,
  ],
])("gives a session that already has a parent of its client %s", (_, project, seconds, later, id) =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [inShop, { ...ofBlog, project, seconds }], apart);

    await ingestDemo(sessions, later, apart);
    const rows = await sessions.store.table("messages").count();
    await ingestDemo(sessions, later, apart);

    const { descendants } = await loadLineage(sessions, id);
    expect(descendants.map(({ session }) => session.id)).toEqual(["t"]);
    expect(await sessions.store.table("messages").count()).toBe(rows);
  }),
);

it("moves a session from a parent begun elsewhere to a nearer parent that comes later still", () =>
  withStore(async (sessions) => {
    const atRoot = { ...inBlog, project: "/", seconds: 30, messages: [said("r")] };
    const inSources = { ...ofBlog, project: "/blog/src", seconds: 90 };
    await ingestDemo(sessions, [inShop, inSources], apart);

    await ingestDemo(sessions, [atRoot], apart);
    await ingestDemo(sessions, [inBlog], apart);

    const { descendants } = await loadLineage(sessions, blogId);
    expect(descendants.map(({ session }) => session.id)).toEqual(["t"]);
  }));

it("attaches any number of sessions to a late parent in one commit", () =>
  withStore(async (sessions) => {
    const forks = ["t", "u", "v"].map((id) => ({ ...below, id }));
    await ingestDemo(sessions, [ofPi], apart);
    const insert = vi.spyOn(sessions.store.table("messages"), "insert");

    await ingestDemo(sessions, [...forks, ofOmp], apart);

    expect(insert.mock.calls).toHaveLength(2);
    const { descendants } = await loadLineage(sessions, "omp:s");
    expect(descendants.map(({ session }) => session.id)).toEqual(["t", "u", "v"]);
  }));

it("keeps all messages of a fork when it is moved or read from an older copy, though another client has it", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [fork("omp"), fork("pi"), ofPi], apart);

    await ingestDemo(sessions, [fork("omp"), ofOmp], apart);
    const older = { ...fork("omp"), messages: shared.slice(0, 1) };
    await ingestDemo(sessions, [older], {
      ...apart,
      placeOf: () => ({ held: undefined, agreedAt: 0, isNewest: () => false }),
    });

    const { descendants } = await loadLineage(sessions, "omp:s");
    expect(descendants.map(({ session }) => session.id)).toEqual(["f"]);
    expect(await shown(sessions, "f")).toHaveLength(2);
    expect(await shown(sessions, "pi:f")).toHaveLength(2);
  }));

it("defers a session when another client's session takes its id while it is read", () =>
  withStore(async (sessions) => {
    const outcomes: IngestOutcome[] = [];
    const hooks = {
      isUnchanged: async () => true,
      onCommitted: (outcome: IngestOutcome) => void outcomes.push(outcome),
    };
    const [one, two] = [1, 2].map((at) =>
      createIngest(sessions, { ...apart, now: () => new Date(at) }),
    );
    const other: DemoSession = { id: "other", agent: "omp", messages: [said("d")] };
    await one?.session(streamOf(demoEvents(ofPi)), hooks);
    for (const demo of [ofOmp, other]) await two?.session(streamOf(demoEvents(demo)), hooks);
    await one?.finish();
    await two?.finish();

    expect(outcomes).toMatchObject([
      { session_id: "s", status: "new", deferred: 0 },
      { session_id: undefined, status: "unchanged", messages_added: 0, deferred: 1 },
      { session_id: "other", status: "new", messages_added: 1 },
    ]);
    expect(await shown(sessions, "s")).toHaveLength(3);
    const windows = sessions.store.table("windows");
    const where = eq("session_id", "s");
    const texts = (await windows.rows({ columns: ["text"], where })).map(({ text }) => text);
    expect(String(texts)).toContain("pi");
    expect(String(texts)).not.toContain("omp");

    await ingestDemo(sessions, [ofOmp], apart);

    expect(await shown(sessions, "omp:s")).toHaveLength(3);
    expect(await shown(sessions, "s")).toHaveLength(3);
  }));

it("separates another client's messages from a session that was stored mixed, and nothing else", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [ofPi, ofOmp]);
    await ingestDemo(sessions, [{ ...ofPi, messages: [...shared, said("in pi"), said("more")] }], {
      addsOnly: true,
    });
    await ingestDemo(sessions, [ofOmp], apart);

    const [outcome] = await ingestDemo(sessions, [ofPi], { ...apart, addsOnly: true });

    expect(outcome).toMatchObject({ tombstones: 1 });
    const texts = await shown(sessions, "s");
    expect(texts.map((text) => text.split(":")[0]).sort()).toEqual(["a", "b", "in pi", "more"]);
    expect(await shown(sessions, "omp:s")).toHaveLength(3);
  }));

it("treats sessions of two clients with one id as one unless told to keep clients apart (spec 7.6)", () =>
  withStore(async (sessions) => {
    const [, outcome] = await ingestDemo(sessions, [ofPi, ofOmp]);

    expect(outcome).toMatchObject({ session_id: "s", rejected: true, messages_added: 1 });
  }));

it.each([
  ["at once", [[inShop, inBlog, ofBlog]]],
  ["one after another", [[inShop], [inBlog], [ofBlog]]],
])("keeps sessions of one client with one id from two projects apart, read %s", (_, reads) =>
  withStore(async (sessions) => {
    const outcomes: IngestOutcome[] = [];
    for (const read of reads) outcomes.push(...(await ingestDemo(sessions, read, apart)));

    expect(outcomes).toMatchObject([
      { session_id: "s", status: "new", messages_added: 3 },
      { session_id: blogId, status: "new", messages_added: 3, rejected: false },
      { session_id: "t", status: "new" },
    ]);
    expect(await sessionsIn(sessions)).toEqual([
      [blogId, "demo", null],
      ["s", "demo", null],
      ["t", "demo", blogId],
    ]);
    expect(await shown(sessions, "s")).toEqual(["mode", "a: This is a.", "b: This is b."]);
    expect(await shown(sessions, blogId)).toEqual(["mode", "c: This is c.", "d: This is d."]);
  }),
);

it("recognizes sessions of one client with one id from two projects", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [inShop, inBlog], apart);
    const grown = (demo: DemoSession): DemoSession => ({
      ...demo,
      messages: [...demo.messages, said(`more of ${demo.project}`)],
    });

    const again = await ingestDemo(sessions, [inBlog, inShop], apart);
    const later = await ingestDemo(sessions, [grown(inBlog), grown(inShop)], apart);

    expect(again.map(({ session_id, status }) => [session_id, status])).toEqual([
      [blogId, "unchanged"],
      ["s", "unchanged"],
    ]);
    expect(later).toMatchObject([
      { session_id: blogId, messages_added: 1, revisions: 0, tombstones: 0 },
      { session_id: "s", messages_added: 1, revisions: 0, tombstones: 0 },
    ]);
  }));

it.each([
  ["without the beginning", { messages: [said("b"), said("c")] }],
  ["with the same start time", { begun: 0 }],
  ["in the same project", { project: "/shop" }],
])("takes a session for the stored one when it is a copy %s", (_, change) =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [inShop], apart);

    const { begun = 60, ...rest } = { begun: undefined, ...change };
    const copy: DemoSession = { ...inBlog, ...rest, seconds: begun };
    const messages = copy.messages.map((each) =>
      typeof each === "object" ? { ...each, seconds: 0 } : each,
    );

    const [outcome] = await ingestDemo(sessions, [{ ...copy, messages }], apart);

    expect(outcome).toMatchObject({ session_id: "s" });
  }),
);

it("defers a session when one from another project takes its id while it is read", () =>
  withStore(async (sessions) => {
    const outcomes: IngestOutcome[] = [];
    const hooks = {
      isUnchanged: async () => true,
      onCommitted: (outcome: IngestOutcome) => void outcomes.push(outcome),
    };
    const [one, two, three] = [1, 2, 3].map((at) =>
      createIngest(sessions, { ...apart, now: () => new Date(at) }),
    );
    const copied: DemoSession = {
      ...inBlog,
      messages: inShop.messages.map((each) =>
        typeof each === "object" ? { ...each, seconds: 0 } : each,
      ),
    };
    await one?.session(streamOf(demoEvents(inShop)), hooks);
    await two?.session(streamOf(demoEvents(inBlog)), hooks);
    await three?.session(streamOf(demoEvents(copied)), hooks);
    for (const each of [one, two, three]) await each?.finish();

    expect(outcomes).toMatchObject([
      { session_id: "s", status: "new", deferred: 0 },
      { session_id: undefined, status: "unchanged", messages_added: 0, deferred: 1 },
      { session_id: "s", messages_added: 0, deferred: 0, rejected: true },
    ]);
    expect(await shown(sessions, "s")).toEqual(["mode", "a: This is a.", "b: This is b."]);

    await ingestDemo(sessions, [inBlog], apart);

    expect(await shown(sessions, blogId)).toEqual(["mode", "c: This is c.", "d: This is d."]);
    expect(await shown(sessions, "s")).toHaveLength(3);
  }));

it("recognizes a copy of a session that was read just before", () =>
  withStore(async (sessions) => {
    const messages = [{ ...said("b"), seconds: 0 }, said("c")];

    const outcomes = await ingestDemo(sessions, [inShop, { ...inBlog, messages }], apart);

    expect(outcomes.map(({ session_id }) => session_id)).toEqual(["s", "s"]);
  }));

it.each([
  ["in the same project", "/blog"],
  ["in another project", "/copied"],
])(
  "takes a session for the second one with its id when it is a copy without the beginning, %s",
  (_, project) =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [inShop, inBlog], apart);
      const messages = [{ ...said("d"), seconds: 60 }, said("more")];

      const [outcome] = await ingestDemo(
        sessions,
        [{ ...inBlog, project, seconds: 120, messages }],
        apart,
      );

      expect(outcome).toMatchObject({ session_id: blogId, messages_added: 1 });
    }),
);

it("keeps two sessions of one client apart from another client's session with the same id", () =>
  withStore(async (sessions) => {
    const demos = [ofPi, inShop, inBlog, ofBlog, { ...inBlog, messages: [mode, said("c")] }];
    await ingestDemo(sessions, demos, apart);

    expect(await sessionsIn(sessions)).toEqual([
      [blogId, "demo", null],
      ["demo:s", "demo", null],
      ["s", "pi", null],
      ["t", "demo", blogId],
    ]);
    expect(await shown(sessions, "s")).toHaveLength(3);
    expect(await shown(sessions, "demo:s")).toHaveLength(3);
  }));

it.each([
  ["/blog/.trees/one", blogId],
  ["/blog\\trees\\one", blogId],
  ["/blogs", "s"],
  ["/shop/blog", "s"],
])("chooses by directory the parent of a session in %s", (project, parent) =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [inShop, inBlog, { ...ofBlog, project }], apart);

    expect((await sessionsIn(sessions)).at(-1)).toEqual(["t", "demo", parent]);
  }),
);

it("attaches a session to a parent that was begun before 1970", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [inShop, { ...inBlog, seconds: -2e9 }, ofBlog], apart);

    const old = "demo:-232774400000000:s";
    expect((await sessionsIn(sessions)).at(-1)).toEqual(["t", "demo", old]);
  }));

it("removes nothing from a session when another one with its id has no messages yet", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [inShop], apart);

    const [outcome] = await ingestDemo(sessions, [{ ...inBlog, messages: [] }], apart);

    expect(outcome).toMatchObject({ session_id: blogId, tombstones: 0, revisions: 0 });
    expect(await shown(sessions, "s")).toHaveLength(3);
  }));

it("recognizes a session under CLIENT:MICROSECONDS:ID when the other one is not stored", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [{ ...inBlog, id: blogId }], apart);

    const [outcome] = await ingestDemo(sessions, [inBlog], apart);

    expect(outcome).toMatchObject({ session_id: blogId, status: "unchanged" });
  }));

/** Two ingests that have read something each before either stored any of it. */
async function racing(
  sessions: SessionStore,
  first: readonly DemoSession[],
  second: readonly DemoSession[],
): Promise<{ readonly ingests: readonly Ingest[]; readonly outcomes: readonly IngestOutcome[][] }> {
  const outcomes: IngestOutcome[][] = [[], []];
  const ingests: Ingest[] = [];
  for (const [at, demos] of [first, second].entries()) {
    const ingest = createIngest(sessions, { ...apart, now: () => new Date(at + 1) });
    const hooks = {
      isUnchanged: async () => true,
      onCommitted: (outcome: IngestOutcome) => void outcomes[at]?.push(outcome),
    };
    for (const demo of demos) await ingest.session(streamOf(demoEvents(demo)), hooks);
    ingests.push(ingest);
  }
  return { ingests, outcomes };
}

async function searched({ store }: SessionStore, id: string): Promise<string> {
  const windows = store.table("windows");
  const rows = await windows.rows({ columns: ["text"], where: eq("session_id", id) });
  return rows.map(({ text }) => String(text)).join(" ");
}

/** Each has its messages and is found by them. */
async function expectApart(sessions: SessionStore, winner: DemoSession, loser: DemoSession) {
  const name = `demo:${1767225600000000 + (loser.seconds ?? 0) * 1000000}:s`;
  const wordsOf = ({ messages }: DemoSession): string[] =>
    messages.flatMap((each) =>
      typeof each === "object" && each.text !== undefined ? [each.text] : [],
    );
  for (const [id, own, other] of [
    ["s", winner, loser],
    [name, loser, winner],
  ] as const) {
    const texts = await shown(sessions, id);
    expect(texts.map((text) => text.replace(/^\w+: /, ""))).toEqual(["mode", ...wordsOf(own)]);
    const found = await searched(sessions, id);
    for (const words of wordsOf(own)) expect(found).toContain(words);
    for (const words of wordsOf(other)) expect(found).not.toContain(words);
  }
}

it.each([
  [
    "one after another",
    async (ingests: readonly Ingest[]) => {
      for (const ingest of ingests) await ingest.finish();
    },
  ],
  [
    "at once",
    async (ingests: readonly Ingest[]) => {
      await Promise.all(ingests.map((ingest) => ingest.finish()));
    },
  ],
])(
  "keeps sessions with one id from two projects apart when two first syncs store them %s",
  (_, finish) =>
    withStore(async (sessions) => {
      const { ingests, outcomes } = await racing(sessions, [inShop], [inBlog, ofBlog]);
      await finish(ingests);

      const [[ofFirst], [ofSecond, ofChild]] = outcomes as [IngestOutcome[], IngestOutcome[]];
      const isFirst = ofFirst?.status === "new";
      const [winner, loser] = isFirst ? [inShop, inBlog] : [inBlog, inShop];
      const left = isFirst ? ofSecond : ofFirst;
      expect(left).toMatchObject({ session_id: undefined, status: "unchanged", deferred: 1 });
      // What is below it has to be read again for the name of what is above it.
      expect(ofChild?.deferred).toBe(isFirst ? 1 : 0);
      const before = await shown(sessions, "s");
      expect(before.length).toBe(3);

      await ingestDemo(sessions, [loser, ofBlog], { ...apart, now: () => new Date(3) });

      await expectApart(sessions, winner, loser);
      const { session } = (await loadLineage(sessions, "t")).root;
      expect(session.parent_session_id).toBe(isFirst ? blogId : "s");
    }),
);

it("takes an id under which an interrupted ingest left rows without a session", () =>
  withStore(async (sessions) => {
    const killed = failingInserts(sessions, "sessions");
    await expect(ingestDemo(killed, [inShop], apart)).rejects.toThrow("no space");

    await ingestDemo(sessions, [inBlog], { ...apart, now: () => new Date(2) });
    const texts = await shown(sessions, "s");
    const again = await ingestDemo(sessions, [inShop], { ...apart, now: () => new Date(3) });

    expect(texts).toEqual(["mode", "c: This is c.", "d: This is d."]);
    expect(again).toMatchObject([{ status: "new", messages_added: 3 }]);
    await sessions.store.refresh();
    const name = "demo:1767225600000000:s";
    expect((await sessionsIn(sessions)).map((row) => (row as string[])[0])).toEqual([name, "s"]);
    expect(await shown(sessions, name)).toEqual(["mode", "a: This is a.", "b: This is b."]);
    expect(await shown(sessions, "s")).toEqual(texts);
  }));
