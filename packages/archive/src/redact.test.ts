import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type CanonicalEvent,
  type JsonObject,
  messageFromWire,
  partsOf,
  sessionFromWire,
} from "@pond/canonical";
import {
  createIngest,
  findDamaged,
  getSession,
  onlyPlace,
  type SessionStore,
  sessionTables,
} from "@pond/sessions";
import { type Cell, isNotNull, type Row } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import { withArchive } from "./open-archive.ts";
import type { ArchiveRedactor } from "./redaction.ts";
import {
  allRows,
  damagedCopy,
  demoSessions,
  embedAll,
  filesBelow,
  ingest,
  openStore,
  saying,
  shown,
  storeOf,
  temporaryFolder,
} from "./testing.ts";
import { verifyArchive } from "./verify-archive.ts";

const secret = ["top", "secret", "42"].join("-");
const placeholder = "[redacted 1: demo]";

/** Replaces one secret, in texts and in whatever JSON they stand. */
function demoRedactor(): ArchiveRedactor {
  let count = 0;
  const text = (whole: string): string => {
    const pieces = whole.split(secret);
    count += pieces.length - 1;
    return pieces.join(placeholder);
  };
  const json: ArchiveRedactor["json"] = (value) => {
    const bytes = isBytes(value) ? Buffer.from(value.base64, "base64").toString() : "";
    if (bytes.includes(secret)) {
      return {
        ...(value as JsonObject),
        base64: Buffer.from(text(bytes)).toString("base64"),
      } as never;
    }
    if (Array.isArray(value)) return value.map((each) => json(each)) as never;
    if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value as JsonObject);
      return Object.fromEntries(
        entries.map(([key, each]) => [text(key), json(each ?? null)]),
      ) as never;
    }
    return (typeof value === "string" ? text(value) : value) as typeof value;
  };
  return { text, json, counts: () => (count === 0 ? [] : [{ rule: "demo", count }]) };
}

function isBytes(value: unknown): value is { readonly base64: string } {
  return typeof value === "object" && value !== null && "base64" in value;
}

const time = "2026-01-01T00:00:00Z";
const part = { session_id: "s", provenance: "conversational", options: {} } as const;

type Said = { readonly id: string; readonly role?: string; readonly content: unknown };

/** A message with this text, and one whose every place holds it. */
function saidWith(text: string): Said[] {
  const at = { ...part, message_id: "m1" };
  const base64 = Buffer.from(`bytes ${text}`).toString("base64");
  const native = { source: { [`key ${text}`]: ["a", { deep: text }], number: 1 } };
  return [
    {
      id: "m0",
      content: [{ ...part, id: "0", message_id: "m0", type: "text", text: "plain words" }],
    },
    {
      id: "m1",
      role: "assistant",
      content: [
        { ...at, id: "0", type: "text", text: `said ${text}`, options: native },
        { ...at, id: "1", type: "reasoning", text: `thought ${text}` },
        ...[{ ...at, id: "2", type: "tool_call", call_id: "c", name: `tool ${text}` }].map(
          (call) => ({
            ...{ ...call, params: { command: text }, provider_executed: false },
          }),
        ),
        { ...at, id: "3", type: "file", media_type: "text/plain", data: { type: "bytes", base64 } },
        { ...at, id: "4", type: "file", media_type: "image/png", data: { type: "url", url: text } },
      ],
    },
    {
      id: "m2",
      role: "tool",
      content: [
        {
          ...{ ...part, message_id: "m2", id: "0", type: "tool_result", call_id: "c" },
          ...{ is_failure: false, result: [{ type: "text", text }] },
        },
      ],
    },
    { id: "m3", role: "system", content: `record ${text}` },
  ];
}

async function take(sessions: SessionStore, said: readonly Said[], title: string): Promise<void> {
  const host = { host: "here", now: () => new Date("2026-01-02") };
  const ingest = createIngest(sessions, host);
  const hooks = {
    placeOf: () => onlyPlace,
    isUnchanged: async () => true,
    onCommitted: () => undefined,
  };
  await ingest.session(eventsOf(said, title), hooks);
  await ingest.finish();
}

async function* eventsOf(said: readonly Said[], title: string): AsyncGenerator<CanonicalEvent> {
  const fields = { source_agent: "demo", created_at: time, options: { source: { title } } };
  yield {
    kind: "session",
    session: sessionFromWire({ id: "s", ...fields, project: `/work/${title}` }),
  };
  for (const { id, role = "user", content } of said) {
    const header = { id, session_id: "s", timestamp: time, role, options: { source: { title } } };
    const message = messageFromWire({ ...header, content } as never);
    const { content: body, ...rest } = message;
    const own = role === "system" ? { ...rest, content: body } : rest;
    yield { kind: "message", message: own as typeof message };
    for (const each of partsOf(message)) yield { kind: "part", part: each };
  }
}

/** Every cell of an archive, as text. */
async function cellsOf(file: string): Promise<string> {
  return withArchive(file, { temporaryFolder: temporaryFolder() }, async (store, manifest) => {
    const cells: Cell[] = [JSON.stringify(manifest)];
    for (const { name } of sessionTables) {
      const { columns } = store.table(name).declaration;
      const rows = await store.table(name).rows({ columns: Object.keys(columns) });
      cells.push(...rows.flatMap((row) => Object.values(row)));
    }
    return cells
      .map((cell) => (cell instanceof Uint8Array ? String(Buffer.from(cell)) : String(cell)))
      .join("\n");
  });
}

async function redactedExport(sessions: SessionStore) {
  const file = join(temporaryFolder(), "a.pond");
  return exportArchive(sessions, file, { redactor: demoRedactor() });
}

describe("a redacted archive", () => {
  it("contains no secret, and equals an ingest of the same session with placeholders", async () => {
    const [sessions, expected] = [await openStore(), await openStore()];
    await take(sessions, saidWith(secret), secret);
    await take(expected, saidWith(placeholder), placeholder);
    const before = await allRows(sessions);

    const { file, redacted } = await redactedExport(sessions);

    const imported = await openStore();
    const report = await importArchive(file, imported);
    expect(await cellsOf(file)).not.toContain(secret.slice(0, 5));
    expect(await allRows(imported)).toEqual(await allRows(expected));
    expect(await allRows(sessions)).toEqual(before);
    expect(redacted).toEqual([{ rule: "demo", count: 16 }]);
    expect([report.redacted, (await verifyArchive(file)).redacted]).toEqual([redacted, redacted]);
  });

  it("contains no secret from deep inside a long message", async () => {
    const [sessions, expected] = [await openStore(), await openStore()];
    const long = (text: string): Said[] => {
      const filler = "the weavers go on with their baskets ".repeat(20_000);
      const own = { ...part, id: "0", message_id: "m", type: "text" };
      return [{ id: "m", content: [{ ...own, text: `${filler}${text} ${filler}` }] }];
    };
    await take(sessions, long(secret), "t");
    await take(expected, long(placeholder), "t");

    const { file } = await redactedExport(sessions);

    const imported = await openStore();
    await importArchive(file, imported);
    expect((await cellsOf(file)).includes(secret.slice(0, 5))).toBe(false);
    // Compared at once: what differs is too long to be shown.
    expect(isDeepStrictEqual(await allRows(imported), await allRows(expected))).toBe(true);
  });

  it("preserves revisions, moves and removals", async () => {
    const [sessions, expected] = [await openStore(), await openStore()];
    const states = (text: string): Said[][] => {
      const [first, second, third, fourth] = saidWith(text) as [Said, Said, Said, Said];
      const moved = [second, first, third, fourth];
      const more = { id: "0", message_id: "m0", type: "text", text: `later ${text}` };
      const revised = { ...first, content: [{ ...part, ...more }] };
      return [
        [first, second, third, fourth],
        moved,
        [revised, second, third, fourth],
        [second, revised, third],
      ];
    };
    for (const state of states(secret)) await take(sessions, state, "t");
    for (const state of states(placeholder)) await take(expected, state, "t");

    const { file } = await redactedExport(sessions);

    const imported = await openStore();
    await importArchive(file, imported);
    const page = async (store: SessionStore) =>
      getSession(store, "s", { mode: "verbatim" }).then(({ messages }) => messages);
    expect(await cellsOf(file)).not.toContain(secret.slice(0, 5));
    expect(await page(imported)).toEqual(await page(expected));
    // And the source with placeholders in it adds nothing.
    const count = (await allRows(imported))["messages"]?.length;
    await take(imported, states(placeholder).at(-1) ?? [], "t");
    expect((await allRows(imported))["messages"]).toHaveLength(count ?? 0);
  });

  it("drops only the vectors of messages whose text changed, and keeps all other rows as they are", async () => {
    const [demo = { id: "", texts: [] }, other = { id: "", texts: [] }] = demoSessions(2, 3);
    const texts = [`${secret} one`, ...demo.texts];
    const sessions = await storeOf({ ...demo, texts }, other);
    await embedAll(sessions, 8);

    const { file } = await redactedExport(sessions);

    const imported = await openStore();
    await importArchive(file, imported);
    const [before, after] = [await allRows(sessions), await allRows(imported)];
    const differing = Object.entries(after).flatMap(([name, rows]) =>
      rows.filter((row) => !before[name]?.includes(row)).map((row) => [name, row]),
    );
    expect(differing.map(([name]) => name)).toEqual(["messages", "parts", "windows"]);
    expect(differing[0]?.[1]).not.toContain("model-of-8");
    expect(after["messages"]?.filter((row) => row.includes("model-of-8"))).toHaveLength(6);
  });

  it.each<[string, Partial<Row> | undefined]>([
    ["is missing", undefined],
    ["cannot be read", { variant_data: "{" }],
    ["was altered", { variant_data: '{"text":"9"}' }],
    ["has a type that its message cannot have", { type: "reasoning" }],
  ])(
    "contains no secret of a message with a part that %s, and reports its session",
    async (_, change) => {
      const words = { ids: ["m0", "m1"], texts: ["plain", `said ${secret}`] };
      const whole = await storeOf({ id: "s", ...words }, { id: "t", texts: ["other"] });
      await embedAll(whole, 384);
      const sessions = await damagedCopy(whole, (table, row) => {
        const isIt = table === "parts" && row["message_id"] === "m1";
        return isIt ? change && ({ ...row, ...change } as Row) : row;
      });

      const { file, damaged } = await redactedExport(sessions);

      expect(await cellsOf(file)).not.toContain(secret.slice(0, 5));
      expect(damaged).toEqual(["s"]);
      const imported = await openStore();
      await importArchive(file, imported);
      expect([...(await findDamaged(imported))]).toEqual([["s", new Set(["m1"])]]);
      const where = isNotNull("embedding_model");
      const found = await imported.store.table("messages").rows({ columns: ["id"], where });
      expect(found.map(({ id }) => id).sort()).toEqual(["m0", "m0"]);
    },
  );

  it("includes a message with content that its role cannot have, but without that content", async () => {
    const whole = await storeOf(saying("a m:1 b"));
    const sessions = await damagedCopy(whole, (table, row) =>
      table === "messages" && row["id"] === "m" ? { ...row, content: secret } : row,
    );

    const { file, damaged } = await redactedExport(sessions);

    expect(damaged).toEqual(["s"]);
    expect(await cellsOf(file)).not.toContain(secret.slice(0, 5));
    const imported = await openStore();
    await importArchive(file, imported);
    expect(await shown(imported)).toBe("a m:1 b");
  });

  it("has windows of the first value of a message whose later value is damaged", async () => {
    const whole = await storeOf(saying("a m:1 b"));
    await ingest(whole, [saying("a m:2 b")]);
    const sessions = await damagedCopy(whole, (_, row) =>
      row["revises"] === "m" ? { ...row, options: "x" } : row,
    );

    const { file } = await redactedExport(sessions);

    const imported = await openStore();
    await importArchive(file, imported);
    const [windows] = (await allRows(imported))["windows"] ?? [];
    expect(windows?.split(" | ")).toContain("a\nm:1\nb");
  });

  it("changes nothing when imported into a store with the originals", async () => {
    const sessions = await openStore();
    await take(sessions, saidWith(secret), secret);
    const { file } = await redactedExport(sessions);
    const before = await allRows(sessions);

    const { differing, tables } = await importArchive(file, sessions);

    expect(await allRows(sessions)).toEqual(before);
    expect([differing, tables["messages"]?.inserted]).toEqual([4, 0]);
  });

  it.each<[string, Partial<ArchiveRedactor>, object]>([
    ["a session without a project", { text: () => "" }, { table: "sessions", key: { id: "s" } }],
    [
      "a session without options",
      { json: () => undefined as never },
      { table: "sessions", key: { id: "s" } },
    ],
    [
      "a part without its variant",
      {
        json: (value) =>
          (typeof value === "object" && value !== null && "text" in value ? {} : value) as never,
      },
      { key: { session_id: "s" } },
    ],
  ])(
    "is not written when the redactor leaves a row that no import takes: %s",
    async (_, own, details) => {
      const sessions = await openStore();
      await take(sessions, saidWith(secret), secret);
      const folder = temporaryFolder();

      const exported = exportArchive(sessions, join(folder, "a.pond"), {
        redactor: { ...demoRedactor(), ...own },
      });

      await expect(exported).rejects.toMatchObject({ code: "redaction_invalid", details });
      expect(filesBelow(folder)).toEqual([]);
    },
  );

  it("has the digests of a plain archive and lists no replacements when there is nothing to replace", async () => {
    const sessions = await openStore();
    await ingest(sessions, demoSessions(3));
    const plain = await exportArchive(sessions, join(temporaryFolder(), "b.pond"));

    const redacted = await redactedExport(sessions);

    expect(redacted.digests).toEqual(plain.digests);
    expect([plain.redacted, redacted.redacted]).toEqual([undefined, []]);
  });
});
