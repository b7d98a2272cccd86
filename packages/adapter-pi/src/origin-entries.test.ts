import { expect, it } from "vitest";
import { omp, pi } from "./dialect.ts";
import { header, logName, message, project, TemporaryHome } from "./home.test-kit.ts";
import { OriginEntries } from "./origin-entries.ts";

const home = new TemporaryHome();
const say = (id: string) => message(id, null, { role: "user", content: id });
const put = (id: string, ...entries: readonly string[]) =>
  home.put(`${project}/${logName(id)}`, [header(id), ...entries.map(say)]);

it.each([pi, omp])("reads an origin's log once for all forks of it ($origin)", async (dialect) => {
  const log = put("root", "a1", "a2");
  const origins = new OriginEntries();

  const first = await origins.of(log, dialect, {});

  expect([...first.ids]).toEqual(["root", "a1", "a2"]);
  expect(await origins.of(log, dialect, {})).toBe(first);
});

it("reads an origin's log again after a change, and tells two logs apart", async () => {
  const log = put("root", "a1");
  const other = put("other", "b1");
  const origins = new OriginEntries();
  await origins.of(log, pi, {});

  put("root", "a1", "a2");

  expect([...(await origins.of(log, pi, {})).ids]).toEqual(["root", "a1", "a2"]);
  expect([...(await origins.of(other, pi, {})).ids]).toEqual(["other", "b1"]);
});
