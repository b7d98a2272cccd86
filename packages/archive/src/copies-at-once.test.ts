import type { SessionStore } from "@pond/sessions";
import { expect, it, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { readOrder } from "./tables.ts";
import { openStore, saying, shown, storeOf } from "./testing.ts";

// Two copies at once each find that nothing in the target has the id that both bring.

const inShop = saying("a b", { project: "/shop", second: 1 });
const inBlog = saying("c d", { project: "/blog", second: 2 });
const ofPi = saying("p q", { agent: "pi", project: "/shop", second: 3 });

/** Lets something happen once, before the target gets the first rows of one table. */
function before(target: SessionStore, table: string, run: () => Promise<unknown>): void {
  const { store } = target;
  const insert = store.table(table).insert.bind(store.table(table));
  let isFirst = true;
  vi.spyOn(store.table(table), "insert").mockImplementation(async (...values) => {
    const isNow = isFirst;
    isFirst = false;
    if (isNow) await run();
    return insert(...values);
  });
}

async function saysOf(sessions: SessionStore): Promise<string[][]> {
  await sessions.store.refresh();
  const columns = ["id", "project"];
  const rows = await sessions.store.table("sessions").rows({ columns });
  const said = rows.map(async ({ id, project }) => {
    return [String(project), String(id), await shown(sessions, String(id))];
  });
  return (await Promise.all(said)).sort();
}

it.each([inBlog, ofPi].flatMap((other) => readOrder.map((table) => [other, table] as const)))(
  "keeps %o apart from what another copy puts there before its %s",
  async (other, table) => {
    const [one, two] = [await storeOf(inShop), await storeOf(other)];
    const target = await openStore();
    before(target, table, () => copySessions(two, target));

    await copySessions(one, target);

    const rows = await saysOf(target);
    expect(rows.map(([project, , text]) => [project, text])).toEqual(
      [
        ["/shop", "a b"],
        [other.project, other.texts.join(" ")],
      ].sort(),
    );
  },
);
