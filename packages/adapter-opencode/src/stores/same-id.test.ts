import { join } from "node:path";
import { findSessions } from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { fromOpencode } from "../from-opencode.ts";
import { createHome, start } from "../home.test-kit.ts";

/** An export whose id was taken out. */
function exported(slug: string | undefined, created: number, more = {}): object {
  const info = { slug, directory: "/loom", time: { created, updated: created }, ...more };
  return { info: { id: "REDACTED", ...info }, messages: [] };
}

async function list(files: Record<string, unknown>) {
  const home = createHome(files);
  const { sessions, faults } = await findSessions(fromOpencode(home));
  const reasons = faults.map(({ details }) => `${details.uri}: ${details.reason}`);
  return [sessions.map(({ key }) => key), reasons.map((each) => each.replaceAll(`${home}/`, ""))];
}

const first = exported("quiet-shuttle", start);

it.each<[string, object]>([
  ["with the same slug and time", exported("quiet-shuttle", start, { title: "Loom" })],
  ["without a slug", exported(undefined, start)],
  ["with the same slug and another time", exported("quiet-shuttle", start + 1)],
])(
  "takes two exports with one id for states of one session: a second one %s",
  async (_, second) => {
    expect(await list({ "a.json": first, "b.json": second })).toEqual([["a.json", "b.json"], []]);
  },
);

it("reports an export of another session with the same id, and does not read it", async () => {
  const files = { "a.json": first, "b.json": other, "c.json": other, "d.json": first };

  const [sessions, faults] = await list(files);

  expect(sessions).toEqual(["a.json", "d.json"]);
  expect(faults).toEqual([
    "b.json: another session with the id of the one in a.json: not read",
    "c.json: another session with the id of the one in a.json: not read",
  ]);
});

const other = exported("loud-shuttle", start + 1);
const another = exported("mild-shuttle", start + 2);

it.each([
  ["the first by name", { "a.json": first, "b.json": other, "c.json": another }],
  ["the last after a rename", { "b.json": other, "c.json": another, "z.json": first }],
])(
  "reads the session that was made first, whether its file is the first or the last: %s",
  async (_, files) => {
    const [sessions, faults] = await list(files);

    const read = Object.entries(files).filter(([, each]) => each === first);
    expect(sessions).toEqual(read.map(([name]) => name));
    expect(faults?.length).toBe(2);
  },
);

it("groups exports with one id the same way, whatever their files are called", async () => {
  const [mild, quiet] = [exported("mild-shuttle", start), first];
  const later = exported("quiet-shuttle", start + 1);

  const forth = await list({ "a.json": mild, "b.json": quiet, "c.json": later });
  const back = await list({ "a.json": later, "b.json": quiet, "c.json": mild });

  expect([forth[0], back[0]]).toEqual([
    ["a.json", "b.json"],
    ["b.json", "c.json"],
  ]);
});

it.each(["", undefined])(
  "does not take an empty or missing slug as a sign of one session: %j",
  async (slug) => {
    const files = { "a.json": exported(slug, start), "b.json": exported(slug, start + 1) };

    const [sessions, faults] = await list(files);

    expect([sessions, faults?.length]).toEqual([["a.json"], 1]);
  },
);

it("reads any of several exports with one id if it is named itself", async () => {
  const home = createHome({ "a.json": first, "b.json": exported("loud-shuttle", start + 1) });

  const { sessions, faults } = await findSessions(fromOpencode(join(home, "b.json")));

  expect([sessions.map(({ key }) => key), faults]).toEqual([["b.json"], []]);
});
