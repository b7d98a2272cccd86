import {
  type ErrorBody,
  type GetResponse,
  jsonSchemas,
  type MessageView,
  type ResponseMode,
  type SearchResponse,
  type SessionPage,
  type ShownMessage,
} from "@pond/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chat, header, sessionOf, textPart } from "../testing.ts";
import { type ServedPond, servePond } from "./testing-pond.ts";

// Every field by which an answer says that there is more has its cases here, at each boundary.

const texts = Array.from(
  { length: 12 },
  (_, at) => `Turn ${at}: the pelican counts 魚 ${"fish ".repeat(at * 5)}`,
);
const parts = Array.from({ length: 9 }, (_, at) => `p${at}`);
const herons = ["a", "b", "c", "d", "e"];

let served: ServedPond;
beforeAll(async () => {
  served = await servePond();
  const { pond } = served;
  await pond.ask("ingest", { events: chat("long", texts) });
  await pond.ask("ingest", {
    events: [
      sessionOf("parts"),
      header("parts", 0),
      ...parts.map((id, at) => textPart("parts", 0, "é".repeat(at * 90), id)),
    ],
  });
  for (const name of herons) {
    await pond.ask("ingest", { events: chat(name, [`A heron called ${name} waits.`]) });
  }
});
afterAll(() => served.remove());

async function asked<Body>(operation: "get" | "search", request: object): Promise<Body> {
  const { status, body } = await served.ask<Body>(operation, request);
  expect(status).toBe(200);
  return body;
}

const pageOf = (request: object): Promise<SessionPage> =>
  asked("get", { session_id: "long", ...request });
const viewOf = (request: object): Promise<MessageView> =>
  asked("get", { session_id: "parts", message_id: "m0", ...request });
const searchFor = (request: object): Promise<SearchResponse> =>
  asked("search", { query: "heron", ...request });

const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);
const partsOf = ({ target }: MessageView): readonly { readonly id: string }[] =>
  typeof target.content === "object" ? target.content : [];
/** UTF-8, as it is sent. */
const bytesOf = (items: readonly object[]): number =>
  items.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)), 0);
const large = 1024 * 1024;

async function refusalOf(operation: "get" | "search", request: object): Promise<object> {
  const { status, body } = await served.ask<ErrorBody>(operation, request);
  return { status, code: body.error.code };
}

const notFound = { status: 404, code: "not_found" };
const invalid = { status: 400, code: "validation_failed" };

/** What of `all` is on a page of exactly so many bytes, one fewer, and one more. */
async function aroundBytes(bytes: number, ask: (limit_bytes: number) => Promise<string[]>) {
  return { below: await ask(bytes - 1), at: await ask(bytes), above: await ask(bytes + 1) };
}

const modes: readonly ResponseMode[] = ["conversational", "complete", "verbatim"];

const cases: Readonly<Record<string, () => void>> = {
  messages_remaining() {
    it.each(modes)("%s: a page holds all messages that fit, to the byte", async (response_mode) => {
      const { messages } = await pageOf({ response_mode, limit_bytes: large });
      const ask = async (limit_bytes: number): Promise<string[]> => {
        const page = await pageOf({ response_mode, limit_bytes });
        expect(page.messages_remaining).toBe(texts.length - page.messages.length);
        return idsOf(page.messages);
      };
      const all = idsOf(messages);
      for (const count of [2, 7, texts.length]) {
        const bytes = bytesOf(messages.slice(0, count));
        expect(await aroundBytes(bytes, ask)).toEqual({
          below: all.slice(0, count - 1),
          at: all.slice(0, count),
          above: all.slice(0, count),
        });
      }
    });

    it.each(modes.flatMap((mode) => [1, 400, 900, large].map((bytes) => [mode, bytes] as const)))(
      "%s: pages of %d bytes hold every message once",
      async (response_mode, limit_bytes) => {
        const ids: string[] = [];
        for (let remaining = texts.length; remaining > 0; ) {
          const after = ids.length === 0 ? {} : { after_id: ids.at(-1) };
          const page = await pageOf({ response_mode, limit_bytes, ...after });
          ids.push(...idsOf(page.messages));
          expect(page.messages.length).toBeGreaterThan(0);
          expect(page.messages_remaining).toBe(texts.length - ids.length);
          remaining = page.messages_remaining;
        }
        expect(ids).toEqual(texts.map((_, at) => `m${at}`));
      },
    );

    it("is 0 on the last page, and the page after it is empty", async () => {
      const last = await pageOf({ after_id: "m10" });
      const behind = await pageOf({ after_id: "m11" });

      expect([idsOf(last.messages), last.messages_remaining]).toEqual([["m11"], 0]);
      expect([behind.messages, behind.messages_remaining]).toEqual([[], 0]);
    });

    it.each(["m12", "M1", "nobody"])(
      "answers not_found after the unknown message %s",
      async (after_id) => {
        expect(await refusalOf("get", { session_id: "long", after_id })).toEqual(notFound);
      },
    );
  },

  target_parts_remaining() {
    it("a page holds all parts that fit, to the byte", async () => {
      const all = partsOf(await viewOf({ limit_bytes: large }));
      const ask = async (limit_bytes: number): Promise<string[]> => {
        const view = await viewOf({ limit_bytes });
        expect(view.target_parts_remaining).toBe(parts.length - partsOf(view).length);
        return idsOf(partsOf(view));
      };
      for (const count of [2, 5, parts.length]) {
        expect(await aroundBytes(bytesOf(all.slice(0, count)), ask)).toEqual({
          below: parts.slice(0, count - 1),
          at: parts.slice(0, count),
          above: parts.slice(0, count),
        });
      }
    });

    it.each([1, 400, large])("pages of %d bytes hold every part once", async (limit_bytes) => {
      const ids: string[] = [];
      for (let remaining = parts.length; remaining > 0; ) {
        const after = ids.length === 0 ? {} : { after_id: ids.at(-1) };
        const view = await viewOf({ limit_bytes, ...after });
        ids.push(...idsOf(partsOf(view)));
        expect(view.target_parts_remaining).toBe(parts.length - ids.length);
        remaining = view.target_parts_remaining;
      }
      expect(ids).toEqual(parts);
    });

    it("is 0 on the last page, and the page after it is empty", async () => {
      const [last, behind] = [await viewOf({ after_id: "p7" }), await viewOf({ after_id: "p8" })];

      expect([idsOf(partsOf(last)), last.target_parts_remaining]).toEqual([["p8"], 0]);
      expect([partsOf(behind), behind.target_parts_remaining]).toEqual([[], 0]);
    });

    it("answers not_found after an unknown part", async () => {
      const request = { session_id: "parts", message_id: "m0", after_id: "p9" };
      expect(await refusalOf("get", request)).toEqual(notFound);
    });
  },

  context_cut() {
    const context = (more: object): Promise<MessageView> =>
      asked("get", { session_id: "long", message_id: "m5", context_depth: 3, ...more });

    it("is set when one byte is missing, and the nearest neighbours are shown", async () => {
      const whole = await context({ limit_bytes: large });
      const around: ShownMessage[] = [...whole.before, ...whole.after];
      const bytes = bytesOf(around);
      const [below, at] = [
        await context({ limit_bytes: bytes - 1 }),
        await context({ limit_bytes: bytes }),
      ];

      expect([idsOf(at.before), idsOf(at.after)]).toEqual([
        ["m2", "m3", "m4"],
        ["m6", "m7", "m8"],
      ]);
      expect(at).not.toHaveProperty("context_cut");
      expect([idsOf(below.before), idsOf(below.after)]).toEqual([
        ["m2", "m3", "m4"],
        ["m6", "m7"],
      ]);
      expect(below.context_cut).toBe(true);
    });

    it("is set when no neighbour fits, but not when none was asked for", async () => {
      const [none, unasked] = [
        await context({ limit_bytes: 1 }),
        await context({ limit_bytes: 1, context_depth: 0 }),
      ];

      expect([none.before, none.after, none.context_cut]).toEqual([[], [], true]);
      expect(unasked).not.toHaveProperty("context_cut");
    });

    it("is not set where the session ends", async () => {
      const view = async (message_id: string): Promise<GetResponse> =>
        asked("get", { session_id: "long", message_id, context_depth: 50 });
      const [first, last] = [await view("m0"), await view("m11")];

      expect(first).toMatchObject({ before: [], after: { length: 11 } });
      expect(last).toMatchObject({ before: { length: 11 }, after: [] });
      expect([first, last]).not.toContainEqual(expect.objectContaining({ context_cut: true }));
    });
  },

  next() {
    it.each([
      [1, [1, 1, 1, 1, 1]],
      [2, [2, 2, 1]],
      [4, [4, 1]],
      [5, [5]],
      [6, [5]],
      [100, [5]],
    ])(
      "pages of at most %d sessions have the sizes %j, and hold every session once",
      async (limit, sizes) => {
        const found: string[][] = [];
        let next: string | undefined;
        do {
          const page = await searchFor({ limit, ...(next !== undefined && { after: next }) });
          found.push(page.sessions.map(({ session_id }) => session_id));
          next = page.next;
        } while (next !== undefined);

        expect(found.map(({ length }) => length)).toEqual(sizes);
        expect(found.flat().toSorted()).toEqual(herons);
      },
    );

    it("is accepted only by the search that it belongs to", async () => {
      const { next = "" } = await searchFor({ limit: 2, since: "2026-01-01" });
      const tampered = [...next].map((character, at) =>
        next.slice(0, at).concat(character === "A" ? "B" : "A", next.slice(at + 1)),
      );
      const others: object[] = [
        { query: "heron", after: next },
        { query: "herons", since: "2026-01-01", after: next },
        { query: "heron", since: "2026-01-01", role: "user", after: next },
        { query: "heron", since: "2026-01-01", after: "" },
        ...[...tampered, next.slice(1), next.slice(0, -1), `${next}A`, `${next}=`].map((after) => ({
          ...{ query: "heron", since: "2026-01-01", after },
        })),
      ];

      for (const each of others) expect(await refusalOf("search", each)).toEqual(invalid);
      const rest = await searchFor({ since: "2026-01-01", limit: 99, after: next });
      expect(rest.sessions).toHaveLength(3);
      expect(rest).not.toHaveProperty("next");
    });

    it("goes on after a session was stored in between, and repeats none", async () => {
      const query = "A heron called waits";
      const first = await searchFor({ query, limit: 3 });
      await served.pond.ask("ingest", { events: chat("f", ["A heron called f waits."]) });
      const rest = await searchFor({ query, limit: 100, after: first.next });

      const ids = [...first.sessions, ...rest.sessions].map(({ session_id }) => session_id);
      expect(ids.toSorted()).toEqual([...herons, "f"]);
    });
  },
};

/** Names of all fields of a schema, however deep. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { readonly properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(fieldsOf)];
}

const more = Object.entries(Object(jsonSchemas()["$defs"]))
  .filter(([name]) => name.endsWith("Response"))
  .flatMap(([, schema]) => fieldsOf(schema))
  .filter((field) => /(^|_)(remaining|next|cut|more|cursor)$/.test(field));

describe.each([...new Set(more)])("%s", (field) => {
  const define = cases[field];
  if (define === undefined) it("has cases", () => expect.fail("there are none"));
  else define();
});

it("the fields with cases are exactly the paging fields of the schemas", () => {
  expect(Object.keys(cases).toSorted()).toEqual([...new Set(more)].toSorted());
});
