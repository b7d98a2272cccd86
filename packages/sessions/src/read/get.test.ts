import { stringifyJson } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { openSessions, type SessionStore } from "../session-store.ts";
import {
  type DemoSession,
  ingestDemo,
  recordingPartQueries,
  recordingPartScans,
  said,
  withAltered,
  withStore,
} from "../testing.ts";
import { getMessage, getSession, readPages, type SessionPage } from "./get.ts";

const talk: DemoSession = {
  id: "s",
  messages: [
    said("q", "Why?"),
    { id: "i", text: "<reminder>", isInjected: true },
    { id: "r", role: "assistant", text: "Because.", more: ["Of that."] },
    { id: "t", role: "tool", text: "output" },
    { id: "c", role: "carrier", options: { kind: "mode" } },
    { id: "f", text: "see", bytes: new Uint8Array([1, 2, 3]) },
  ],
};

/** Notes how many parts each read gives. */
const recording = (sessions: SessionStore, read: number[]): SessionStore =>
  recordingPartScans(recordingPartQueries(sessions, read), read);

const idsOf = ({ messages }: SessionPage): string[] => messages.map(({ id }) => id);

async function allPages(sessions: SessionStore, limitBytes: number): Promise<string[]> {
  const ids: string[] = [];
  for (let afterId: string | undefined; ; afterId = ids.at(-1)) {
    const page = await getSession(sessions, "s", { mode: "complete", limitBytes, afterId });
    ids.push(...idsOf(page));
    if (page.messages_remaining === 0) return ids;
    expect(page.messages.length).toBeGreaterThan(0);
  }
}

describe("getSession", () => {
  it("shows what people and models said (spec 7.5, conversational)", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);

      expect(await getSession(sessions, "s")).toEqual({
        session: {
          id: "s",
          source_agent: "demo",
          created_at: "2026-01-01T00:00:00.000Z",
          project: "/work/demo",
          options: { pond: { host: "here" } },
        },
        response_mode: "conversational",
        messages: [
          {
            id: "q",
            role: "user",
            timestamp: "2026-01-01T00:00:00.000Z",
            text: "Why?",
            parts_summary: [
              { type: "text", provenance: "conversational", bytes: expect.any(Number) },
            ],
          },
          expect.objectContaining({ id: "r", text: "Because.\nOf that." }),
          expect.objectContaining({
            id: "f",
            parts_summary: [
              expect.objectContaining({ type: "text" }),
              {
                type: "file",
                provenance: "conversational",
                name: "application/octet-stream",
                bytes: 3,
              },
            ],
          }),
        ],
        messages_remaining: 0,
      });
    }));

  it("shows every message in modes complete and verbatim, with full parts in verbatim", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);

      const complete = await getSession(sessions, "s", { mode: "complete" });
      const verbatim = await getSession(sessions, "s", { mode: "verbatim" });

      expect(idsOf(complete)).toEqual(["q", "i", "r", "t", "c", "f"]);
      expect(idsOf(verbatim)).toEqual(["q", "i", "r", "t", "c", "f"]);
      expect(complete.messages[1]).toMatchObject({ parts_summary: [{ provenance: "injected" }] });
      expect(complete.messages[3]).not.toHaveProperty("content");
      expect(verbatim.messages[4]).toMatchObject({
        role: "system",
        content: "",
        options: { source: { record: { kind: "mode" } } },
      });
      expect(verbatim.messages[5]).toMatchObject({
        content: [{ text: "see" }, { data: { type: "bytes", base64: "AQID" } }],
      });
      // Ready for the wire as it is.
      expect(JSON.parse(JSON.stringify(verbatim))).toEqual(verbatim);
    }));

  it.each([1, 200, 600, 1_000_000])(
    "pages by %i bytes without cutting or missing a message",
    (limit) =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, [talk]);

        expect(await allPages(sessions, limit)).toEqual(["q", "i", "r", "t", "c", "f"]);
      }),
  );

  it("stays within its byte budget when no message is larger", () =>
    withStore(async (sessions) => {
      const messages = Array.from({ length: 200 }, (_, at) => said(`m${at}`, "x".repeat(100)));
      await ingestDemo(sessions, [{ id: "s", messages }]);

      const page = await getSession(sessions, "s", { limitBytes: 10_000 });

      const sizes = page.messages.map((message) => stringifyJson({ ...message } as never).length);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      expect(total).toBeLessThanOrEqual(10_000);
      expect(total).toBeGreaterThan(9_000);
      expect(page.messages_remaining).toBe(200 - page.messages.length);
    }));

  it("shows the newest value and marks it as revised", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b"), said("c")] }]);
      await ingestDemo(sessions, [
        { id: "s", messages: [said("b", "Anew."), { id: "c", text: "x", isInjected: true }] },
      ]);

      const { messages } = await getSession(sessions, "s");

      expect(messages).toMatchObject([{ id: "b", text: "Anew.", revised: true }]);
      const complete = await getSession(sessions, "s", { mode: "complete" });
      expect(idsOf(complete)).toEqual(["b", "c"]);
      expect(complete.messages_remaining).toBe(0);
    }));

  it("shows what another process has added since the last read", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b")] }]);
      const reader = await openSessions(sessions.store.location);
      const shown = async () => (await getSession(reader, "s")).messages.map(({ text }) => text);

      expect(await shown()).toEqual(["This is a.", "This is b."]);
      await ingestDemo(sessions, [
        { id: "s", messages: [said("a"), said("b", "Anew."), said("c")] },
      ]);
      expect(await shown()).toEqual(["This is a.", "Anew.", "This is c."]);
      expect(await shown()).toEqual(["This is a.", "Anew.", "This is c."]);
      await sessions.store.table("messages").fold({ isForced: true });
      expect(await shown()).toEqual(["This is a.", "Anew.", "This is c."]);
      reader.close();
    }));

  it("puts at least one message on a page whatever the budget, and ignores undefined options", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);
      const unset = { mode: undefined, limitBytes: undefined, afterId: undefined };

      const pages = await Array.fromAsync(readPages(sessions, "s", { limitBytes: 0 }));

      expect(pages.map(idsOf)).toEqual([["q"], ["r"], ["f"]]);
      expect(await getSession(sessions, "s", unset)).toEqual(await getSession(sessions, "s"));
    }));

  it.each([
    [{ mode: "full" as "verbatim" }, "mode: there is no full"],
    [{ limitBytes: Number.NaN }, "limitBytes: NaN"],
    [{ limitBytes: -1 }, "limitBytes: -1"],
    [{ isFromEnd: true, afterId: "q" }, "afterId: it does not go with reading from the end"],
    [{ beforeId: "r", afterId: "q" }, "afterId: it does not go with reading from the end"],
  ])("refuses the options %j", (options, message) =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);

      await expect(getSession(sessions, "s", options)).rejects.toThrow(message);
    }),
  );

  it("names the session or message that does not exist", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);

      await expect(getSession(sessions, "none")).rejects.toMatchObject({
        code: "not_found",
        details: { sessionId: "none" },
      });
      await expect(getSession(sessions, "s", { afterId: "none" })).rejects.toMatchObject({
        code: "not_found",
        details: { sessionId: "s", messageId: "none" },
      });
    }));

  it("takes ids literally, quotes and all", () =>
    withStore(async (sessions) => {
      const id = 'it\'s "x" -- \u0000 /../ 索引';
      await ingestDemo(sessions, [{ id, messages: [said("a'b")] }]);

      expect(idsOf(await getSession(sessions, id))).toEqual(["a'b"]);
      expect((await getMessage(sessions, id, "a'b")).target.id).toBe("a'b");
    }));
});

describe("readPages", () => {
  it.each([20_000, 1024 * 1024])("gives every message once, in pages of %i bytes", (limitBytes) =>
    withStore(async (sessions) => {
      const messages = Array.from({ length: 600 }, (_, at) => said(`m${at}`, `text ${at}`));
      await ingestDemo(sessions, [{ id: "s", messages }]);

      const pages: SessionPage[] = [];
      for await (const page of readPages(sessions, "s", { limitBytes })) pages.push(page);

      expect(pages.flatMap(idsOf)).toEqual(messages.map(({ id }) => id));
      expect(pages.at(-1)?.messages_remaining).toBe(0);
      const ends = pages.map(({ last_id }) => last_id);
      expect(ends).toEqual([...pages.slice(1).map(() => "m599"), undefined]);
      expect(pages[0]).toEqual(await getSession(sessions, "s", { limitBytes }));
    }),
  );

  it.each([500, 20_000, 1024 * 1024])("reads from the end, in pages of %i bytes", (limitBytes) =>
    withStore(async (sessions) => {
      const messages = Array.from({ length: 600 }, (_, at) => said(`m${at}`, `text ${at}`));
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const ids = messages.map(({ id }) => id);

      const options = { isFromEnd: true, limitBytes };
      const pages = await Array.fromAsync(readPages(sessions, "s", options));

      expect(pages.toReversed().flatMap(idsOf)).toEqual(ids);
      for (const { messages, ...page } of pages) {
        const first = ids.indexOf(messages[0]?.id ?? "");
        const after = ids.length - first - messages.length;
        expect([page.messages_before ?? 0, page.messages_remaining]).toEqual([first, after]);
        expect(page.last_id).toBe(after > 0 ? "m599" : undefined);
      }
      const [last, earlier] = pages;
      const beforeId = last?.messages[0]?.id;
      expect(last).toEqual(await getSession(sessions, "s", options));
      if (earlier)
        expect(earlier).toEqual(await getSession(sessions, "s", { ...options, beforeId }));
    }),
  );

  it("reads from the end what each mode shows, before a message of any kind, also one that is gone", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);
      const before = async (beforeId: string, mode: "conversational" | "complete") =>
        idsOf(await getSession(sessions, "s", { beforeId, mode }));
      const all = idsOf(await getSession(sessions, "s", { mode: "complete" }));
      const spoken = idsOf(await getSession(sessions, "s"));

      for (const [at, id] of all.entries()) {
        expect(await before(id, "complete")).toEqual(all.slice(0, at));
        const earlier = spoken.filter((each) => all.indexOf(each) < at);
        expect(await before(id, "conversational")).toEqual(earlier);
      }
      const unasked = { beforeId: "f", isFromEnd: false };
      expect(idsOf(await getSession(sessions, "s", unasked))).toEqual(["q", "r"]);
      const kept = talk.messages.filter((each) => typeof each === "string" || each.id !== "r");
      await ingestDemo(sessions, [{ ...talk, messages: kept }]);
      const earlier = spoken.filter((each) => all.indexOf(each) < all.indexOf("r"));
      expect(await before("r", "conversational")).toEqual(earlier);
    }));

  it("reads few more large messages than are on a page", () =>
    withStore(async (sessions) => {
      const bytes = new Uint8Array(100_000);
      const messages = Array.from({ length: 200 }, (_, at) => ({
        ...said(`m${at}`, "see"),
        bytes,
      }));
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const read: number[] = [];
      const pages: SessionPage[] = [];

      const options = { mode: "verbatim", limitBytes: 1024 * 1024 } as const;
      for await (const page of readPages(recording(sessions, read), "s", options)) pages.push(page);

      expect(pages.flatMap(idsOf)).toEqual(messages.map(({ id }) => id));
      // Of a text and a picture, the pictures once more.
      const least = messages.length * 3;
      expect(read.reduce((sum, rows) => sum + rows)).toBeLessThan(least * 2);
    }));

  it("reads few long messages at once, for a page or around a message", () =>
    withStore(async (sessions) => {
      const messages = Array.from({ length: 100 }, (_, at) => said(`m${at}`, "x".repeat(300_000)));
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const read: number[] = [];
      const lengthOf = (part: Row): number => String(part["variant_data"]).length;
      const recorded = recordingPartScans(sessions, read, lengthOf);

      const page = await getSession(recorded, "s", { mode: "verbatim" });
      const { before, target, after } = await getMessage(recorded, "s", "m50", { context: 50 });

      expect(idsOf(page)).toEqual(["m0"]);
      const shown = [...before, target, ...after].map(({ id }) => id);
      expect(shown).toEqual(messages.map(({ id }) => id));
      expect(Math.max(...read)).toBeLessThan(10_000_000);
    }));

  it("knows from the page before how many messages fit on one, also around a message", () =>
    withStore(async (sessions) => {
      const messages = Array.from({ length: 100 }, (_, at) => said(`m${at}`, "x".repeat(300_000)));
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const read: number[] = [];
      const recorded = recording(sessions, read);
      const idsFrom = async (afterId: string | undefined) => {
        read.length = 0;
        return idsOf(await getSession(recorded, "s", { mode: "verbatim", afterId }));
      };
      await idsFrom(undefined);

      expect([await idsFrom("m0"), read]).toEqual([["m1"], [1]]);
      expect([await idsFrom("m70"), read]).toEqual([["m71"], [1]]);
      await getMessage(recorded, "s", "m50");
      expect(read.slice(1)).toEqual([1, 1, 1, 1, 1]);
    }));

  it("reads a page of small messages after a large one in few steps", () =>
    withStore(async (sessions) => {
      const messages = Array.from({ length: 240 }, (_, at) =>
        said(`m${at}`, at % 30 === 0 ? "x".repeat(60_000) : "y"),
      );
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const read: number[] = [];
      const pages: SessionPage[] = [];

      for await (const page of readPages(recording(sessions, read), "s")) pages.push(page);

      expect(pages.flatMap(idsOf)).toEqual(messages.map(({ id }) => id));
      expect(read.length).toBeLessThan(pages.length * 7);
    }));

  it("gives one empty page when a session holds no messages, or no more", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk, { id: "empty", messages: [] }]);

      const ofEmpty = await Array.fromAsync(readPages(sessions, "empty"));
      const afterLast = await Array.fromAsync(readPages(sessions, "s", { afterId: "f" }));

      expect(ofEmpty).toMatchObject([{ messages: [], messages_remaining: 0 }]);
      expect(afterLast).toMatchObject([{ messages: [], messages_remaining: 0 }]);
    }));
});

describe("getMessage", () => {
  it("shows a message whole, between its neighbours", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);

      const view = await getMessage(sessions, "s", "r", { context: 1 });

      expect(view).toMatchObject({
        session: { id: "s" },
        before: [{ id: "i", parts_summary: [{ type: "text" }] }],
        target: { id: "r", content: [{ text: "Because." }, { text: "Of that." }], options: {} },
        after: [{ id: "t" }],
        target_parts_remaining: 0,
      });
      expect((await getMessage(sessions, "s", "q", { context: 0 })).before).toEqual([]);
    }));

  it("counts as neighbours what was said and done, not what the client noted between", () =>
    withStore(async (sessions) => {
      const noted = (id: string) => ({ id, role: "carrier", options: { kind: "mode" } }) as const;
      const messages = [said("a"), said("b"), noted("1"), noted("2"), said("c"), noted("3")];
      await ingestDemo(sessions, [{ id: "s", messages: [...messages, said("d"), said("e")] }]);

      const { before, after } = await getMessage(sessions, "s", "c", { context: 1 });
      const { target, ...noticed } = await getMessage(sessions, "s", "2", { context: 2 });

      expect([before, after]).toMatchObject([[{ id: "b" }], [{ id: "d" }]]);
      expect(target.id).toBe("2");
      expect(noticed.before).toMatchObject([{ id: "a" }, { id: "b" }]);
      expect(noticed.after).toMatchObject([{ id: "c" }, { id: "d" }]);
    }));

  it.each([
    ["first", said("b"), {}],
    ["last", said("b", "Anew."), { revised: true }],
  ])(
    "shows a message that is gone from its source with its %s value, where it was",
    (_, last, marks) =>
      withStore(async (sessions) => {
        for (const messages of [
          [said("a"), said("b"), said("c"), said("d")],
          [said("a"), last, said("c"), said("d")],
          [said("a"), said("c"), said("d")],
        ]) {
          await ingestDemo(sessions, [{ id: "s", messages }]);
        }

        const { before, target, after } = await getMessage(sessions, "s", "b", { context: 1 });

        expect([before, after]).toMatchObject([[{ id: "a" }], [{ id: "c" }]]);
        expect(target).toMatchObject({ id: "b", content: [{ text: last.text }] });
        const { revised, removed } = target;
        expect({ revised, removed }).toEqual({ revised: undefined, ...marks, removed: true });
        expect((await getMessage(sessions, "s", "a")).target).not.toHaveProperty("removed");
        const behind = await getSession(sessions, "s", { afterId: "b" });
        expect(idsOf(behind)).toEqual(["c", "d"]);
        expect(idsOf(await getSession(sessions, "s"))).toEqual(["a", "c", "d"]);
      }),
  );

  it("shows a removed message alone when no other message is left", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a")] }]);
      await ingestDemo(sessions, [{ id: "s", messages: [] }]);

      const view = await getMessage(sessions, "s", "a");

      expect(view).toMatchObject({ before: [], target: { id: "a", removed: true }, after: [] });
      expect(idsOf(await getSession(sessions, "s", { afterId: "a" }))).toEqual([]);
    }));

  it("pages through the parts of a message without cutting any", () =>
    withStore(async (sessions) => {
      const more = Array.from({ length: 9 }, (_, at) => `part ${at}`);
      await ingestDemo(sessions, [{ id: "s", messages: [{ id: "m", text: "first", more }] }]);

      const ids: string[] = [];
      for (let afterPart: string | undefined; ; afterPart = ids.at(-1)) {
        const view = await getMessage(sessions, "s", "m", { limitBytes: 400, afterPart });
        const { content } = view.target;
        if (typeof content !== "object") throw new TypeError("no parts");
        ids.push(...content.map(({ id }) => id));
        expect(view.target_parts_remaining).toBe(10 - ids.length);
        if (view.target_parts_remaining === 0) break;
      }

      expect(ids).toEqual(Array.from({ length: 10 }, (_, at) => String(at)));
    }));

  it("refuses a number of neighbours that is negative or NaN", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);
      const around = (context: number | undefined) => getMessage(sessions, "s", "r", { context });

      await expect(around(-1)).rejects.toThrow("context: -1");
      await expect(around(Number.NaN)).rejects.toThrow("context: NaN");
      expect(await around(undefined)).toEqual(await around(2));
    }));

  it("reports a message or part that does not exist", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk]);

      await expect(getMessage(sessions, "s", "none")).rejects.toMatchObject({ code: "not_found" });
      await expect(getMessage(sessions, "s", "q", { afterPart: "9" })).rejects.toMatchObject({
        code: "not_found",
        details: { messageId: "q", partId: "9" },
      });
    }));
});

describe("a message that has lost its parts", () => {
  const lost = (_: string, row: Row) => (row["message_id"] === "q" ? undefined : row);

  it.each(["conversational", "complete", "verbatim"] as const)(
    "is marked as damaged in mode %s",
    (mode) =>
      withAltered([talk], lost, async (sessions, whole) => {
        const { messages } = await getSession(sessions, "s", { mode });
        const all = await getSession(whole, "s", { mode });

        expect(messages.filter(({ damaged }) => damaged).map(({ id }) => id)).toEqual(["q"]);
        expect(all.messages.filter(({ damaged }) => damaged)).toEqual([]);
      }),
  );

  it("is marked as damaged when it is requested, and as a neighbour", () =>
    withAltered([talk], lost, async (sessions) => {
      const { target } = await getMessage(sessions, "s", "q");
      const { before, target: next } = await getMessage(sessions, "s", "i");

      expect([target.damaged, before[0]?.damaged, next.damaged]).toEqual([true, true, undefined]);
    }));

  it("is told apart from a message that was written without parts", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [{ id: "e", role: "assistant" }] }]);

      const { target } = await getMessage(sessions, "s", "e");

      expect([target.content, target.damaged]).toEqual([[], undefined]);
    }));
});
