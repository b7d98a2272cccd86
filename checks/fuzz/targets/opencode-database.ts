import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { adapterNamed } from "@pond/adapters";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "@pond/canonical";
import type { Random } from "../../chaos/random.ts";
import { mutateBytes } from "../mutate-files.ts";
import { mutateJson } from "../mutate-json.ts";
import { checkFolder } from "../reader-promises.ts";
import type { Input, Target } from "../target.ts";

/** Columns without the constraints that protect a client from its own mistakes. */
const columns: Readonly<Record<string, readonly string[]>> = {
  project: ["id", "worktree"],
  session: [
    "id",
    "project_id",
    "parent_id",
    "directory",
    "title",
    "version",
    "time_created",
    "time_updated",
  ],
  message: ["id", "session_id", "time_created", "time_updated", "data"],
  part: ["id", "message_id", "session_id", "time_created", "time_updated", "data"],
  todo: ["session_id", "content", "status", "priority", "position", "time_created", "time_updated"],
  session_v2: [
    "id",
    "project_id",
    "parent_id",
    "directory",
    "title",
    "fork_session_id",
    "fork_boundary",
    "time_created",
    "time_updated",
  ],
  session_message: ["id", "session_id", "type", "seq", "time_created", "time_updated", "data"],
};

const startMs = 1_767_600_000_000;
const times = { time_created: startMs, time_updated: startMs };
const session = {
  id: "ses_a",
  project_id: "p",
  directory: "/home/ada/loom",
  title: "Loom",
  version: "1.18.3",
  ...times,
};
const time = { created: startMs, completed: startMs + 1 };
const message = (id: string, role: string) => ({
  id,
  session_id: "ses_a",
  ...times,
  data: { role, time },
});
const part = (of: string, id: string, data: object) => ({
  id,
  message_id: of,
  session_id: "ses_a",
  ...times,
  data,
});

const first = {
  project: [{ id: "p", worktree: "/home/ada" }],
  session: [session, { ...session, id: "ses_b", parent_id: "ses_a" }],
  message: [message("msg_1", "user"), message("msg_2", "assistant")],
  part: [
    part("msg_1", "prt_1", { type: "text", text: "Why does the loom skip?" }),
    part("msg_2", "prt_2", { type: "reasoning", text: "The heddle?" }),
    part("msg_2", "prt_3", {
      type: "tool",
      callID: "c",
      tool: "bash",
      state: { status: "completed", input: { command: "ls" }, output: "warp" },
    }),
    part("msg_2", "prt_4", { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" }),
  ],
  todo: [
    {
      session_id: "ses_a",
      content: "oil",
      status: "pending",
      priority: "high",
      position: 0,
      ...times,
    },
  ],
};
const row2 = (seq: number, type: string, data: object) => ({
  id: `msg_${seq}`,
  session_id: "ses_a",
  type,
  seq,
  ...times,
  data: { time, ...data },
});
const second = {
  session_v2: [session],
  session_message: [
    row2(1, "user", { text: "Why does the loom skip?" }),
    row2(2, "assistant", { content: [{ type: "text", text: "The heddle is bent." }] }),
    row2(3, "compaction", { status: "completed" }),
    row2(4, "user", { text: "And now?" }),
  ],
};

const seeds = [first, second, { ...first, ...second }];

/** The databases of opencode: rows that no client would write, and files that are damaged. */
export const opencodeDatabase: Target = {
  name: "opencode-database",
  sources: /packages\/(?:adapter-opencode|canonical)\/src/,
  seeds: () => seeds.map((rows) => new Map([["rows.json", Buffer.from(JSON.stringify(rows))]])),
  mutate,
  run: async (input, scratch) => {
    const folder = join(scratch, "database");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "opencode.db");
    const whole = input.get("opencode.db");
    if (whole) writeFileSync(file, whole);
    else write(file, parseJson(String(input.get("rows.json"))));
    const reading = {
      adapter: adapterNamed("opencode"),
      isLines: () => false,
      isDocument: () => false,
    };
    await checkFolder(reading, new Map(), folder);
  },
};

function mutate(input: Input, random: Random): Input {
  const rows = input.get("rows.json");
  if (rows === undefined || random.isIn(0.1)) {
    return new Map([
      ["opencode.db", mutateBytes(input.get("opencode.db") ?? pagesOf(rows), random)],
    ]);
  }
  let text = String(rows);
  for (let left = 1 + random.below(3); left > 0; left--) text = mutateJson(text, random);
  return new Map([["rows.json", Buffer.from(text)]]);
}

const made = new Map<string, Buffer>();

function pagesOf(rows: Buffer | undefined): Buffer {
  const text = String(rows);
  const known = made.get(text);
  if (known) return known;
  const scratch = mkdtempSync(join(tmpdir(), "pond-fuzz-"));
  const file = join(scratch, "opencode.db");
  write(file, parseJson(text));
  const bytes = readFileSync(file);
  rmSync(scratch, { recursive: true });
  if (made.size < 50) made.set(text, bytes);
  return bytes;
}

function write(file: string, value: JsonValue): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    for (const [table, rows] of Object.entries(isJsonObject(value) ? value : {})) {
      const known = Object.hasOwn(columns, table) ? columns[table] : undefined;
      if (known === undefined) continue;
      // The columns decide between numbers and texts, as in the client's own tables.
      const typed = known.map(
        (name) => `${name} ${/^time_|^seq$|^position$/.test(name) ? "integer" : "text"}`,
      );
      database.exec(`CREATE TABLE ${table} (${typed.join(", ")})`);
      for (const row of Array.isArray(rows) ? rows.filter(isJsonObject) : []) {
        insert(database, table, known, row);
      }
    }
  } finally {
    database.close();
  }
}

function insert(
  database: DatabaseSync,
  table: string,
  known: readonly string[],
  row: JsonObject,
): void {
  const values = known.map((column) => toSql(Object.hasOwn(row, column) ? row[column] : null));
  const marks = values.map((value) => (value instanceof Uint8Array ? "CAST(? AS TEXT)" : "?"));
  database.prepare(`INSERT INTO ${table} VALUES (${marks.join(", ")})`).run(...values);
}

function toSql(value: JsonValue | undefined): SQLInputValue {
  if (typeof value === "object" && value !== null) return stringifyJson(value);
  if (typeof value === "string" && !value.isWellFormed()) return halfCharacters(value);
  return typeof value === "boolean" ? Number(value) : (value ?? null);
}

/** A text of a client that takes half a character for a whole one: invalid UTF-8. */
function halfCharacters(text: string): Uint8Array {
  const bytes = Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    return character.isWellFormed()
      ? Buffer.from(character)
      : Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
  });
  return Buffer.concat(bytes);
}
