import { fromRfc3339, type ReadEvent, sessionFromWire } from "@pond/canonical";
import { describe, expect, it, vi } from "vitest";
import { findDamaged } from "../ingest/damaged.ts";
import { loadLineage } from "../restore/lineage.ts";
import {
  type DemoMessage,
  type DemoSession,
  ingestDemo,
  said,
  withAltered,
  withStore,
} from "../testing.ts";
import { getSession } from "./get.ts";
import { type ListedSession, listSessions } from "./list.ts";

const day = 86_400;
const at = (id: string, days: number, more: Partial<DemoSession> = {}): DemoSession => ({
  id,
  seconds: days * day,
  messages: [said(`${id}-1`, `Begin ${id}.`), { ...said(`${id}-2`), seconds: days * day + 60 }],
  ...more,
});

const timeAt = (days: number): bigint =>
  BigInt(Date.parse("2026-01-01T00:00:00Z") + days * day * 1_000) * 1_000n;

const below = (id: string, parent: string, more: object): readonly ReadEvent[] => {
  const created_at = "2026-01-03T00:00:00Z";
  const fields = { id, parent_session_id: parent, source_agent: "demo", project: "/work/demo" };
  return [
    { kind: "session", session: sessionFromWire({ ...fields, created_at, options: {}, ...more }) },
  ];
};

const ids = (listed: readonly { readonly session_id: string }[]): string[] =>
  listed.map(({ session_id }) => session_id);

/** A note of the client. */
const noted = (id: string, text: string): DemoMessage => ({ id, text, isInjected: true });
/** That of a command. */
const called = (id: string, name: string): DemoMessage =>
  noted(id, `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>`);

describe("listSessions", () => {
  it("lists the last active session first, each with its title and counts", () =>
    withStore(async (sessions) => {
      const old = at("old", 0);
      await ingestDemo(sessions, [
        old,
        at("young", 2),
        { id: "empty", seconds: day, messages: [] },
      ]);
      await ingestDemo(sessions, [
        { ...old, messages: [...old.messages, { ...said("late"), seconds: 5 * day }] },
      ]);

      const listed = await listSessions(sessions);

      expect(ids(listed)).toEqual(["old", "young", "empty"]);
      expect(listed[0]).toEqual({
        session_id: "old",
        source_agent: "demo",
        project: "/work/demo",
        created_at: "2026-01-01T00:00:00.000Z",
        last_activity: "2026-01-06T00:00:00.000Z",
        title: "Begin old.",
        messages: 3,
        descendants: 0,
      });
      expect(listed[2]).not.toHaveProperty("title");
    }));

  it("takes as title the first text of the current state", () =>
    withStore(async (sessions) => {
      const talk = (first: DemoMessage, second: string): DemoSession => ({
        id: "s",
        messages: [first, said("b", second)],
      });
      const title = async () => (await listSessions(sessions))[0]?.title;
      const unread: DemoMessage = { id: "a", role: "carrier" };
      await ingestDemo(sessions, [talk(unread, "Go on.")]);
      expect(await title()).toBe("Go on.");

      await ingestDemo(sessions, [talk(said("a", "Begin."), "Go on.")]);
      expect(await title()).toBe("Begin.");

      await ingestDemo(sessions, [talk(unread, "Go further.")]);
      expect(await title()).toBe("Go further.");
    }));

  it("begins a title with the first word, however much room was left before it", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        { id: "s", messages: [said("q", `${" \n".repeat(5_000)}Go on.`)] },
      ]);

      expect((await listSessions(sessions))[0]?.title).toBe("Go on.");
    }));

  it("cuts no character of a title in two", () =>
    withStore(async (sessions) => {
      const long = `${"a".repeat(119)}\u{1f986} and more`;
      await ingestDemo(sessions, [{ id: "s", messages: [said("q", long)] }]);

      expect((await listSessions(sessions))[0]?.title).toBe(`${"a".repeat(119)}…`);
    }));

  it("takes as title what was typed, and files only if nothing was typed", () =>
    withStore(async (sessions) => {
      const bytes = new Uint8Array([1, 2, 3]);
      await ingestDemo(sessions, [
        { id: "both", messages: [{ ...said("a", "Look at this."), bytes }] },
        { id: "file", seconds: -60, messages: [{ ...said("b", " "), bytes }] },
      ]);

      const listed = await listSessions(sessions);

      expect(listed.map(({ title }) => title)).toEqual([
        "Look at this.",
        "application/octet-stream",
      ]);
    }));

  it("reads text typed beside files for many sessions at once", () =>
    withStore(async (sessions) => {
      const bytes = new Uint8Array([1, 2, 3]);
      const withFile = (id: string): DemoSession => ({
        id,
        messages: [{ ...said("a", `Look at ${id}.`), more: ["And on."], bytes }],
      });
      const tables = [sessions.store.table("messages"), sessions.store.table("parts")];
      const asked = tables.flatMap((table) => [vi.spyOn(table, "rows"), vi.spyOn(table, "scan")]);
      const counts: number[] = [];
      for (const ids of [["one"], ["two", "three", "four"]]) {
        await ingestDemo(sessions, ids.map(withFile));
        for (const each of asked) each.mockClear();
        await listSessions(sessions);
        counts.push(asked.reduce((sum, { mock }) => sum + mock.calls.length, 0));
      }

      const titles = (await listSessions(sessions)).map(({ title }) => title);

      expect(titles.sort()).toEqual(
        ["four", "one", "three", "two"].map((id) => `Look at ${id}. And on.`),
      );
      expect(counts[1]).toBe(counts[0]);
    }));

  it("takes as title the command that a session began with if nobody said anything", () =>
    withStore(async (sessions) => {
      const cleared = noted(
        "clear",
        "<command-name>/clear</command-name>\n            <command-message>clear</command-message>",
      );
      await ingestDemo(sessions, [
        { id: "called", messages: [cleared, called("a", "spin"), called("b", "weave")] },
        { id: "said", messages: [called("a", "spin"), said("b", "Use wool.")] },
        { id: "cleared", messages: [cleared] },
        { id: "told", messages: [noted("a", "Files changed. <command-message>spin")] },
        { id: "gone", messages: [called("a", "spin")] },
        { id: "long", messages: [...Array(40)].map((_, at) => noted(`n${at}`, `Note ${at}.`)) },
      ]);
      await ingestDemo(sessions, [{ id: "gone", messages: [noted("c", "Nothing is left.")] }]);

      const listed = await listSessions(sessions);

      expect(new Map(listed.map(({ session_id, title }) => [session_id, title]))).toEqual(
        new Map([
          ["called", "/spin"],
          ["said", "Use wool."],
          ["cleared", undefined],
          ["told", undefined],
          ["gone", undefined],
          ["long", undefined],
        ]),
      );
    }));

  it.each<[string, readonly (readonly number[])[], string]>([
    [
      "moves to the front",
      [
        [0, 1, 2],
        [2, 0, 1],
      ],
      "/spin",
    ],
    [
      "moves in front of another",
      [
        [2, 3],
        [3, 2],
      ],
      "/dye",
    ],
    [
      "comes first because another moves to the end",
      [
        [2, 3, 0],
        [3, 0, 2],
      ],
      "/dye",
    ],
  ])(
    "takes as title the command that a session began with, also when its note %s",
    (_, states, title) =>
      withStore(async (sessions) => {
        const notes = [
          noted("a", "One."),
          noted("b", "Two."),
          called("c", "spin"),
          called("d", "dye"),
        ];
        for (const state of states) {
          await ingestDemo(sessions, [
            { id: "s", messages: state.flatMap((at) => notes[at] ?? []) },
          ]);
        }

        expect(await listSessions(sessions)).toMatchObject([{ session_id: "s", title }]);
      }),
  );

  it("takes no title from a command in a damaged note that was mended", () => {
    const demo = { id: "s", messages: [called("a", "spin")] };
    return withAltered(
      [demo],
      (table, row) =>
        table === "parts"
          ? { ...row, variant_data: String(row["variant_data"]).replaceAll("spin", "spim") }
          : row,
      async (sessions) => {
        await ingestDemo(sessions, [demo], { damaged: await findDamaged(sessions) });

        expect((await listSessions(sessions))[0]?.title).not.toBe("/spim");
      },
    );
  });

  it.each<[string, (note: DemoMessage) => readonly DemoMessage[]]>([
    ["was gone", () => []],
    ["was edited", (note) => [{ ...note, text: "Another note." }]],
  ])("takes the first command as title again after its note %s for a while", (_, meanwhile) =>
    withStore(async (sessions) => {
      const first = noted("a", "A note.");
      const note = called("b", "spin");
      const titles: unknown[] = [];
      for (const notes of [[note], meanwhile(note), [note]]) {
        await ingestDemo(sessions, [{ id: "s", messages: [first, ...notes] }]);
        titles.push((await listSessions(sessions))[0]?.title);
      }

      expect(titles).toEqual(["/spin", undefined, "/spin"]);
    }),
  );

  it("takes the title that was stored first when its revision is damaged", () =>
    withAltered(
      ["first", "second"].map((text) => ({ id: "s", messages: [said("a", text)] })),
      (_, row) => (row["revises"] ? { ...row, options: "{cut" } : row),
      async (damaged, whole) => {
        expect((await listSessions(whole))[0]?.title).toBe("second");
        expect((await listSessions(damaged))[0]?.title).toBe("first");
      },
    ));

  it.each([
    ["messages", "role", "usez"],
    ["parts", "type", "tezt"],
    ["parts", "type", "reasoning"],
    ["parts", "provenance", "conversationaj"],
    ["parts", "variant_data", '{"tezt":"Begin."}'],
  ])("lists every session when one has %s with a damaged %s: %s", (table, column, cell) => {
    const before: DemoSession = { id: "bad", messages: [said("a", "Begin."), said("b")] };
    const revised: DemoSession = {
      id: "bad",
      messages: [{ id: "a", text: "-", isInjected: true }, said("b")],
    };
    return withAltered(
      [at("good", 0), before, revised],
      (name, row) => {
        const isAltered = name === table && row["session_id"] === "bad";
        const id = name === "parts" ? row["message_id"] : row["id"];
        return isAltered && id === "b" ? { ...row, [column]: cell } : row;
      },
      async (damaged) => {
        const listed = await listSessions(damaged);

        expect(ids(listed).sort()).toEqual(["bad", "good"]);
        const error = { code: "damaged_row", details: { table, column, found: cell } };
        const options = { mode: "verbatim" } as const;
        await expect(getSession(damaged, "bad", options)).rejects.toMatchObject(error);
        await expect(loadLineage(damaged, "bad")).rejects.toMatchObject(error);
      },
    );
  });

  it("folds sub-agents of any depth under their root, or lists them", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        at("root", 0),
        at("child", 1, { parent: "root" }),
        at("grandchild", 9, { parent: "child" }),
        at("other", 5),
        at("x", 3, { parent: "y" }),
        at("y", 2, { parent: "x" }),
      ]);

      const folded = await listSessions(sessions);
      expect(folded.map(({ session_id, descendants }) => [session_id, descendants])).toEqual([
        ["root", 2],
        ["other", 0],
        ["x", 1],
      ]);
      expect(folded[0]?.last_activity).toBe("2026-01-10T00:01:00.000Z");

      const flat = await listSessions(sessions, { isFlat: true });
      expect(ids(flat)).toEqual(["grandchild", "other", "x", "y", "child", "root"]);
      expect(flat[0]).toMatchObject({ parent_session_id: "child", messages: 2 });
    }));

  it("lists what is directly below a session, each with what is below it", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        at("root", 0),
        at("child", 1, { parent: "root" }),
        at("grandchild", 9, { parent: "child" }),
        at("other", 5, { parent: "root", agent: "other" }),
        below("fork", "root", { parent_message_id: "root-1" }),
        at("beside", 7),
      ]);

      const listed = await listSessions(sessions, { parent: "root" });

      const row = { parent_session_id: "root", messages: 2, descendants: 0 };
      expect(listed).toMatchObject([
        { ...row, session_id: "other" },
        { ...row, session_id: "fork", messages: 0 },
        { ...row, session_id: "child", last_activity: "2026-01-02T00:01:00.000Z", descendants: 1 },
      ]);
      expect(ids(await listSessions(sessions, { parent: "root", agent: "other" }))).toEqual([
        "other",
      ]);
      expect(await listSessions(sessions, { parent: "beside" })).toEqual([]);
    }));

  it("lists a fork by itself, with the sub-agents that served it", () =>
    withStore(async (sessions) => {
      const fork = { source: { relation: "fork" } };
      const agent = { options: { source: { relation: "agent" } } };
      await ingestDemo(sessions, [
        at("root", 0),
        at("agent", 1, { parent: "root" }),
        below("cut", "root", { parent_message_id: "root-1" }),
        below("said", "cut", { options: fork }),
        below("served", "said", { options: { source: { task: '"relation":"fork"' } } }),
        below("cut off", "root", { ...agent, parent_message_id: "root-1" }),
        below("late", "root", { parent_message_id: "root-1" }),
      ]);
      await ingestDemo(sessions, [
        below("late", "root", { ...agent, parent_message_id: "root-1" }),
      ]);

      const listed = await listSessions(sessions, { limit: 9 });

      const rows = listed.map(({ session_id, descendants }) => [session_id, descendants]);
      expect(rows.sort()).toEqual([
        ["cut", 0],
        ["root", 3],
        ["said", 1],
      ]);
      expect(listed.find(({ session_id }) => session_id === "said")).toMatchObject({
        parent_session_id: "cut",
      });
    }));

  it("lists the sub-agent of a fork that has lost its row", () =>
    withAltered(
      [
        at("root", 0),
        below("late", "root", { parent_message_id: "root-1" }),
        below("late", "root", { options: { source: { relation: "fork" } } }),
        at("agent", 1, { parent: "late" }),
      ],
      (table, row) => (table === "sessions" && row["id"] === "late" ? undefined : row),
      async (sessions) => {
        expect(ids(await listSessions(sessions))).toEqual(["agent", "root"]);
      },
    ));

  it("folds a session under a parent that its source named late", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [at("root", 0), at("late", 1)]);
      expect(ids(await listSessions(sessions))).toEqual(["late", "root"]);

      await ingestDemo(sessions, [at("late", 1, { parent: "root" })]);

      expect(await listSessions(sessions)).toMatchObject([{ session_id: "root", descendants: 1 }]);
      const flat = await listSessions(sessions, { isFlat: true });
      expect(flat[0]).toMatchObject({ session_id: "late", parent_session_id: "root" });
    }));

  it("filters by project (with its subdirectories), agent, time and limit", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        at("a", 1, { project: "/work/a" }),
        at("deep", 2, { project: "/work/a/deep" }),
        at("beside", 3, { project: "/work/ab", agent: "other" }),
        at("windows", 4, { project: "D:\\work\\x" }),
      ]);
      const since = fromRfc3339("2026-01-03T00:00:00Z");

      expect(ids(await listSessions(sessions, { project: "/work/a" }))).toEqual(["deep", "a"]);
      expect(ids(await listSessions(sessions, { project: "/work/" }))).toHaveLength(3);
      expect(ids(await listSessions(sessions, { project: "D:\\work" }))).toEqual(["windows"]);
      expect(ids(await listSessions(sessions, { agent: "other" }))).toEqual(["beside"]);
      expect(ids(await listSessions(sessions, { since }))).toEqual(["windows", "beside", "deep"]);
      expect(ids(await listSessions(sessions, { limit: 1 }))).toEqual(["windows"]);
      expect(await listSessions(sessions, { project: "/none" })).toEqual([]);
    }));

  it("goes on after a session", () =>
    withStore(async (sessions) => {
      const many = Array.from({ length: 600 }, (_, index) => at(`s${index}`, index % 300));
      await ingestDemo(sessions, many);
      const all = await listSessions(sessions, { limit: 600 });

      const page = await listSessions(sessions, { limit: 20, after: all[400] });

      // Two of each time.
      expect(ids(all.slice(98, 100))).toEqual(["s250", "s550"]);
      expect(page).toEqual(all.slice(401, 421));
      expect(await listSessions(sessions, { after: all[599] })).toEqual([]);
      await expect(
        listSessions(sessions, { after: { session_id: "s", last_activity: "once" } }),
      ).rejects.toThrow(RangeError);
    }));

  it("leaves out none of those that were last active at the same moment", () =>
    withStore(async (sessions) => {
      const many = Array.from({ length: 600 }, (_, index) => ({
        id: `s${599 - index}`,
        messages: Array.from({ length: 8 }, (_, number) => said(`m${number}`)),
      }));
      await ingestDemo(sessions, many);

      const found: ListedSession[] = [];
      for (let page: readonly ListedSession[] = []; ; ) {
        page = await listSessions(sessions, { limit: 50, after: page.at(-1) });
        if (page.length === 0) break;
        found.push(...page);
      }

      expect(ids(found)).toEqual(many.map(({ id }) => id).sort());
    }));

  // A client may copy messages into a session that it has just begun.
  it("lists a session that is younger than its messages where it began, on every page", () =>
    withStore(async (sessions) => {
      const copy = { ...said("copied"), seconds: 0 };
      const others = Array.from({ length: 600 }, (_, index) => at(`s${index}`, 1 + (index % 300)));
      await ingestDemo(sessions, [
        { id: "young", seconds: 999 * day, messages: [copy] },
        ...others,
      ]);

      const [first, second] = await listSessions(sessions, { limit: 2 });
      const all = await listSessions(sessions, { limit: 1_000 });

      expect(first).toMatchObject({
        session_id: "young",
        last_activity: "2028-09-26T00:00:00.000Z",
      });
      expect(all.slice(0, 2)).toEqual([first, second]);
      expect(ids(await listSessions(sessions, { since: timeAt(999) }))).toEqual(["young"]);
    }));

  describe("between two times", () => {
    const long = at("long", 1, {
      messages: [1, 3, 8].map((days) => ({ ...said(`on ${days}`), seconds: days * day })),
    });
    const some = [
      long,
      at("before", 0),
      at("within", 4),
      at("after", 9),
      { id: "silent", seconds: 5 * day, messages: [] },
      at("agent", 3, { parent: "after" }),
    ];

    it.each<[string, number | undefined, number | undefined, readonly string[]]>([
      ["all of it", 2, 6, ["after", "long", "silent", "within"]],
      ["only its own messages", 4, 6, ["silent", "within"]],
      ["nothing", 6, 8, []],
      ["its first moment", 8, 9, ["long"]],
      ["what came before", undefined, 3, ["long", "before"]],
      ["what came after", 8, undefined, ["after", "long"]],
    ])("lists the sessions in which something was written: %s", (_, from, to, expected) =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, some);
        const times = {
          since: from === undefined ? undefined : timeAt(from),
          until: to === undefined ? undefined : timeAt(to),
        };

        const listed = await listSessions(sessions, times);

        expect(ids(listed)).toEqual(expected);
        // They say when they were last active, also if that is later.
        const all = await listSessions(sessions);
        expect(listed).toEqual(all.filter(({ session_id: id }) => expected.includes(id)));
      }),
    );

    it("does the same in a large store", () =>
      withStore(async (sessions) => {
        // Each goes on after a thousand days.
        const others = Array.from({ length: 1_200 }, (_, index) =>
          at(`s${index}`, 10 + index, {
            messages: [10, 1_010].map((days) => ({
              ...said(`on ${days}`),
              seconds: (days + index) * day,
            })),
          }),
        );
        await ingestDemo(sessions, [...some, ...others]);

        const times = { since: timeAt(2), until: timeAt(700) };
        const listed = await listSessions(sessions, { ...times, limit: 1_000 });

        expect(ids(listed)).toEqual([
          ...Array.from({ length: 690 }, (_, index) => `s${689 - index}`),
          ...["after", "long", "silent", "within"],
        ]);
        expect(await listSessions(sessions, { ...times, limit: 3 })).toEqual(listed.slice(0, 3));
        expect(await listSessions(sessions, { ...times, after: listed[688] })).toEqual(
          listed.slice(689),
        );
      }));
  });

  it.each([-1, Number.NaN])("refuses a limit of %s", (limit) =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [at("a", 1), at("b", 2)]);

      await expect(listSessions(sessions, { limit })).rejects.toThrow(RangeError);
    }),
  );

  it("lists the last active of many sessions up to the limit", () =>
    withStore(async (sessions) => {
      const many = Array.from({ length: 600 }, (_, index) => at(`s${index}`, index));
      await ingestDemo(sessions, many);

      expect(ids(await listSessions(sessions, { limit: 3 }))).toEqual(["s599", "s598", "s597"]);
    }));

  it("counts a session of which only the tombstone of a message is left", () =>
    withAltered(
      [
        { id: "s", messages: [said("a"), said("b")] },
        { id: "s", messages: [said("b")] },
      ],
      (table, row) => (table === "messages" && row["revises"] === null ? undefined : row),
      async (sessions) => {
        expect(await listSessions(sessions)).toMatchObject([{ messages: 0 }]);
      },
    ));

  it("counts neither carriers nor messages that disappeared", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b"), said("c")] }]);
      await ingestDemo(sessions, [{ id: "s", messages: [said("b", "Anew."), said("c")] }]);

      expect((await listSessions(sessions))[0]).toMatchObject({ messages: 2 });
    }));
});
