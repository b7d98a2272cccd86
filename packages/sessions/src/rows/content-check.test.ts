import type { Cell, ContentVerdict, Row } from "@pond/substrate";
import { beforeAll, expect, it } from "vitest";
import { type DemoMessage, ingestDemo, said, withStore } from "../testing.ts";
import { checkContent } from "./content-check.ts";
import { tornDigest } from "./message-digest.ts";

type Tables = Readonly<Record<string, readonly Row[]>>;

const columns = checkContent().columns;
const bytes = Uint8Array.of(1, 2, 3);
const messages: readonly DemoMessage[] = [
  { id: "m0", role: "carrier" },
  { id: "m1", text: "Where do herons nest?", more: ["\ufeffIn trees, ", "\uff71\u3099?"] },
  { id: "m2", role: "assistant", text: "In colonies.", options: { exact: 1e21, deep: [{}] } },
  { id: "m3", role: "tool", text: '{"found":2}' },
  { id: "m4", text: "Look.", bytes },
  { id: "m5", text: "Injected.", isInjected: true },
  { id: "m6" },
];

/** A session with messages of every role, of which some were revised, moved and removed. */
let stored: Tables;

beforeAll(() =>
  withStore(async (sessions) => {
    const [m0, m1, m2, m3, m4, m5, m6] = messages as [DemoMessage, ...DemoMessage[]];
    const project = { id: "s", project: "/work/herons" };
    await ingestDemo(sessions, [{ ...project, messages: [m0, m1, m2, m3, m4, m5, m6].map(sure) }]);
    const later = [m0, { ...sure(m1), text: "Where do egrets nest?" }, m3, m2, m4, m6].map(sure);
    await ingestDemo(sessions, [{ ...project, seconds: 9, parent: "p", messages: later }]);
    await ingestDemo(sessions, [{ id: "other", messages: [said("m1")] }]);
    const tables = Object.entries(columns).map(async ([table, names]) => {
      return [table, await sessions.store.table(table).rows({ columns: names })] as const;
    });
    stored = Object.fromEntries(await Promise.all(tables));
  }),
);

function sure(message: DemoMessage | undefined): DemoMessage {
  if (message === undefined) throw new TypeError("there are fewer messages");
  return message;
}

type Given = { readonly rowsAtOnce?: number; readonly damaged?: readonly string[] };

/** What it says of these rows, given a few at a time of the table it asks for. */
function verdictOn(
  tables: Tables,
  { rowsAtOnce = 3, damaged = [] }: Given = {},
  check = checkContent(),
): ReadonlyMap<string, ContentVerdict> {
  const left = new Map(Object.entries(tables).map(([table, rows]) => [table, [...rows]]));
  while (left.size > 0) {
    const table = check.next([...left.keys()]) ?? "";
    check.add(table, left.get(table)?.splice(0, rowsAtOnce) ?? []);
    if (left.get(table)?.length === 0) left.delete(table);
  }
  return check.finish(new Set(damaged));
}

it.each([1, 3, 1000])(
  "finds nothing wrong with what an ingest wrote, %i rows at a time",
  (rowsAtOnce) => {
    const carriers = stored["messages"]?.filter(({ revises }) => revises !== null) ?? [];
    expect(carriers.length).toBeGreaterThan(3);

    expect(verdictOn(stored, { rowsAtOnce })).toEqual(new Map());
  },
);

it("accepts rows in any order", () => {
  const reversed = Object.entries(stored).map(([table, rows]) => [table, rows.toReversed()]);

  expect(verdictOn(Object.fromEntries(reversed))).toEqual(new Map());
});

/** The same cell with a bit of it flipped. */
function flipped(cell: Cell): Cell {
  if (typeof cell === "bigint") return cell ^ 1n;
  if (cell instanceof Uint8Array) return cell.with(1, (cell[1] ?? 0) ^ 1);
  if (typeof cell !== "string" || cell === "") return cell;
  const at = cell.length >> 1;
  return `${cell.slice(0, at)}${String.fromCharCode(cell.charCodeAt(at) ^ 1)}${cell.slice(at + 1)}`;
}

/** Cells of which nothing else that is stored tells. */
function isUntold({ revises, ...row }: Row, column: string): boolean {
  if (["source_agent", "project", "ingested_at"].includes(column)) return true;
  const hasParts = (stored["parts"] ?? []).some(({ message_id }) => message_id === row["id"]);
  if (column === "session_id") return revises !== undefined && !hasParts;
  return typeof revises === "string" && (column === "id" || column === "timestamp");
}

it.each(["messages", "parts"])("finds each altered cell of %s", (table) => {
  const missed: string[] = [];
  for (const [at, row] of (stored[table] ?? []).entries()) {
    for (const [column, cell] of Object.entries(row)) {
      const other = flipped(cell);
      if (other === cell || isUntold(row, column)) continue;
      const rows = stored[table]?.with(at, { ...row, [column]: other }) ?? [];
      const found = verdictOn({ ...stored, [table]: rows });
      if (found.size === 0) missed.push(`${row["id"]} ${column}: ${String(other)}`);
    }
  }
  expect(missed).toEqual([]);
});

it("names the message of an altered part, and counts it", () => {
  const [first, ...rest] = stored["parts"] ?? [];
  const parts = [{ ...first, variant_data: '{"text":"Where do egrets nest?"}' }, ...rest];

  const { damages } = verdictOn({ ...stored, parts }).get("messages") ?? {};

  const reason = "these messages, or parts of them, are not what was written";
  expect(damages).toEqual([{ files: [], reason, rows: 1, ids: [["s", first?.["message_id"]]] }]);
});

it.each([1, 1000])(
  "finds a part that its message was written without, given %i rows at a time",
  (rowsAtOnce) => {
    const [first] = stored["parts"]?.filter(({ message_id }) => message_id === "m2") ?? [];
    const parts = [...(stored["parts"] ?? []), { ...first, id: "1", ordinal: 1n }];

    const found = [...verdictOn({ ...stored, parts }, { rowsAtOnce }).values()];

    expect(found).toMatchObject([{ damages: [{ rows: 1 }] }]);
  },
);

it("names messages whose session has no row, if session rows are given too", () => {
  const { sessions = [], ...others } = stored;
  const left = sessions.filter(({ id }) => id !== "s");
  const rows = stored["messages"]?.filter((row) => row["session_id"] === "s").length;
  const reason = expect.stringContaining("no row");

  const found = verdictOn({ ...others, sessions: left });
  const ofNone = verdictOn({ ...others, sessions: [] });

  const ids = [["s", expect.any(String)]];
  expect(found).toEqual(new Map([["messages", { damages: [{ files: [], reason, ids, rows }] }]]));
  expect(ofNone.get("messages")?.damages[0]).toMatchObject({ rows: (rows ?? 0) + 1 });
  expect(verdictOn(others)).toEqual(new Map());
  expect(verdictOn({ ...others, sessions: left }, { damaged: ["sessions"] })).toEqual(new Map());
});

it("reports no damage for messages whose session is being stored", () => {
  const ingested_at = BigInt(Date.now()) * 1000n;
  const messages = stored["messages"]?.map((row, at) => (at === 0 ? { ...row, ingested_at } : row));
  const underway = messages?.[0]?.["session_id"];
  const sessions = stored["sessions"]?.filter(({ id }) => id !== underway) ?? [];

  expect(verdictOn({ ...stored, messages: messages ?? [], sessions })).toEqual(new Map());
});

it("reports no damage for the parts of a message that was never written", () => {
  const messages = stored["messages"]?.filter(({ id }) => id !== "m1") ?? [];

  expect(verdictOn({ ...stored, messages })).toEqual(new Map());
});

it("reports a wrong search text without counting the row as lost", () => {
  const rows = stored["messages"]?.map((row) =>
    row["search_text"] === "In colonies." ? { ...row, search_text: "In colonics." } : row,
  );

  const { damages } = verdictOn({ ...stored, messages: rows ?? [] }).get("messages") ?? {};

  const reason = "search finds these messages by a text of others";
  expect(damages).toEqual([{ files: [], reason, rows: 0, ids: [["s", "m2"]] }]);
});

it.each([
  ["its beginning and its end", (text: string) => text, []],
  ["all of its text, as in an earlier version", () => long, []],
  ["another text", (text: string) => text.replace("herons", "egrets"), [["s", "m"]]],
])("checks the search text of a long message that is found by %s", (_, altered, expected) =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [{ id: "s", messages: [{ id: "m", text: long }] }]);
    const tables: Record<string, Row[]> = {};
    for (const [name, names] of Object.entries(columns)) {
      const rows = await sessions.store.table(name).rows({ columns: names });
      tables[name] = rows.map((row) =>
        name === "messages" ? { ...row, search_text: altered(String(row["search_text"])) } : row,
      );
    }

    const { damages = [] } = verdictOn(tables).get("messages") ?? {};

    expect(damages.flatMap(({ ids }) => ids)).toEqual(expected);
  }),
);

const long = `herons ${"nest in colonies ".repeat(70_000)}`;

it.each([
  ["sessions", { options: "[" }],
  ["windows", { message_ids: '["m1"' }],
])("finds an invalid row of %s", (table, other) => {
  const [first, ...rest] = stored[table] ?? [];

  const found = verdictOn({ ...stored, [table]: [{ ...first, ...other }, ...rest] });

  expect(found.get(table)?.damages).toMatchObject([{ rows: 1 }]);
});

it("gives no verdict on a message with parts of several states, or with lost parts", () => {
  const torn = stored["messages"]?.map((row) =>
    row["id"] === "m2" ? { ...row, digest: tornDigest } : row,
  );
  const parts = stored["parts"]?.filter((row) => row["message_id"] !== "m2") ?? [];

  expect(verdictOn({ ...stored, messages: torn ?? [], parts })).toEqual(new Map());
  const verdict = verdictOn({ ...stored, parts }, { damaged: ["parts"] });
  expect(verdict).toEqual(new Map([["messages", { damages: [], uncheckedRows: 1 }]]));
});

it("keeps to its memory limit, and counts the messages that it cannot judge", () => {
  const parts = stored["parts"]?.toReversed() ?? [];

  const found = verdictOn(
    { ...stored, parts },
    { rowsAtOnce: 1 },
    checkContent({ maxBytes: 1_000 }),
  );

  const { damages = [], uncheckedRows = 0 } = found.get("messages") ?? {};
  expect(damages).toEqual([]);
  expect(uncheckedRows).toBeGreaterThan(0);
});
