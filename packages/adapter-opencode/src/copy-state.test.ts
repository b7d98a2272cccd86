import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, readAll, sampleLineage } from "@pond/adapter-testkit";
import type { RestoredFile } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { opencodeCopyState } from "./copy-state.ts";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
  joined,
  messageRow,
  partRow,
  sessionRow,
  start,
  type Tables,
  writeDatabase,
} from "./home.test-kit.ts";
import { toOpencode } from "./to-opencode.ts";

const id = "ses_a";

function homeWith(tables: Tables): string {
  const folder = createHome();
  writeDatabase(join(folder, "opencode.db"), tables);
  return folder;
}

async function restored(tables: Tables): Promise<readonly RestoredFile[]> {
  const root = contentOf(await readAll(fromOpencode(homeWith(tables)), id));
  return [...toOpencode.writeNative({ root, descendants: [] })];
}

const turns = (...names: readonly string[]): Tables =>
  joined(
    { session: [sessionRow(id)] },
    ...names.map((name) => exchange(id, name.charCodeAt(0) * 10, name)),
  );
/** The same, and what was said through the API of 2.x. */
function apart(...names: readonly string[]): Tables {
  const row = messageRow(id, "msg_v1", 0, { text: "Why?" });
  return joined(turns(...names), { session_message: [{ ...row, seq: 1, type: "user" }] });
}
const answer = messageRow(id, "msg_a2", 0, { role: "assistant" });
const withPart = joined(turns("a"), { part: [partRow(answer, "prt_a3", { type: "text" })] });
const withoutText = { ...turns("a"), part: (turns("a")["part"] ?? []).slice(0, 1) };

it.each<[string, Tables, Tables, string]>([
  ["nothing", { session: [] }, turns("a"), "missing"],
  ["all of it", turns("a", "b"), turns("a", "b"), "current"],
  ["more than is stored", turns("a", "b", "c"), turns("a", "b"), "current"],
  [
    "all of it under another title",
    { ...turns("a"), session: [sessionRow(id, { title: "x" })] },
    turns("a"),
    "current",
  ],
  ["an earlier state", turns("a"), turns("a", "b"), "earlier"],
  ["an earlier state with turns through its API", apart("a"), apart("a", "b"), "earlier"],
  ["an answer with fewer parts", turns("a"), withPart, "earlier"],
  ["an answer without its text", withoutText, turns("a"), "earlier"],
  ["another turn in place of the last, made much later", turns("a", "x"), turns("a", "b"), "other"],
  ["all of it but a turn that was deleted there", turns("a", "c"), turns("a", "b", "c"), "other"],
  ["another turn in place of the last", turns("a", "c"), turns("a", "b"), "other"],
])("tells what the client holds of a stored session: %s", async (_, there, stored, expected) => {
  expect(opencodeCopyState(homeWith(there), await restored(stored))).toBe(expected);
});

it("takes an earlier state in 2.x for another session, because no import adds to it", async () => {
  const said = (...ids: readonly string[]): Tables => ({
    session_v2: [sessionRow(id)],
    session_message: ids.map((each, seq) => ({
      id: each,
      session_id: id,
      type: "user",
      seq,
      time_created: start + seq,
      time_updated: start + seq,
      data: { text: "Why?", time: { created: start + seq } },
    })),
  });
  const files = await restored(said("msg_1", "msg_2"));

  expect(opencodeCopyState(homeWith(said("msg_1")), files)).toBe("other");
  expect(opencodeCopyState(homeWith(said("msg_1", "msg_2")), files)).toBe("current");
});

it("finds a copy by its own id, and calls it missing if the home does not exist", () => {
  const files = [...toOpencode.writeForeign(sampleLineage(), {})].slice(0, 1);
  const { info, messages } = JSON.parse([...(files[0]?.content ?? [])].join(""));
  const rows = messages.map(({ info }: { info: { id: string } }) =>
    messageRow(String(files[0]?.path.slice(5, -5)), info.id, 0, info),
  );
  const there = { session: [sessionRow(info.id)], message: rows.slice(0, 1) };

  expect(opencodeCopyState(homeWith(there), files)).toBe("earlier");
  expect(opencodeCopyState(homeWith(turns("a")), files)).toBe("missing");
  expect(opencodeCopyState("/nowhere/opencode", files)).toBe("missing");
});

it("ignores a tree once a database stands beside it, as the client does", async () => {
  const files = await restored(turns("a"));
  const stored = (name: string) => ({ id: `msg_a${name}`, role: "user", time: { created: start } });
  const folder = createHome({
    [`storage/session/global/${id}.json`]: { id, directory: "/loom", time: { created: start } },
    [`storage/message/${id}/msg_a1.json`]: stored("1"),
    [`storage/message/${id}/msg_a2.json`]: stored("2"),
    "storage/part/msg_a1/prt_a1.json": { id: "prt_a1", type: "text", text: "Why?" },
    "storage/part/msg_a2/prt_a2.json": { id: "prt_a2", type: "text", text: "So." },
  });

  expect(opencodeCopyState(folder, files)).toBe("current");
  writeDatabase(join(folder, "opencode.db"), { session: [] });
  expect(opencodeCopyState(folder, files)).toBe("missing");
});

it.each([
  ["holds the session", (file: string) => writeDatabase(file, turns("a"))],
  ["is no database", (file: string) => writeFileSync(file, "no database")],
])("ignores a file that was set aside as a database and %s", async (_, setAside) => {
  const folder = homeWith({ session: [] });
  setAside(join(folder, "opencode-old.db"));

  expect(opencodeCopyState(folder, await restored(turns("a")))).toBe("missing");
});

it("names the database that it cannot read", async () => {
  const folder = createHome({ "opencode.db": "no database" });
  const files = await restored(turns("a"));

  expect(() => opencodeCopyState(folder, files)).toThrow(
    `${join(folder, "opencode.db")}:file: cannot be read (file is not a database)`,
  );
});

it("calls a session missing if its files are those of a tree", () => {
  const file = { session: sampleLineage().root.session.id, content: [] };
  const path = "storage/session/global/ses_a.json";

  expect(opencodeCopyState(homeWith(turns("a")), [{ ...file, path }])).toBe("missing");
});
