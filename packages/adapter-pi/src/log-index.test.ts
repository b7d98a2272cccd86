import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { header, logName, project, TemporaryHome } from "./home.test-kit.ts";
import { LogIndex } from "./log-index.ts";

vi.mock("node:fs", async (load) => {
  const fs = await load<typeof import("node:fs")>();
  return { ...fs, readdirSync: vi.fn(fs.readdirSync) };
});

const home = new TemporaryHome();
const put = (id: string) => home.put(`${project}/${logName(id)}`, [header(id)]);
const logsAt = (path: string) =>
  new LogIndex({ home: path, sessions: join(path, "sessions"), suffixes: [".jsonl"] });

it("reads a folder once to find all origins that are named by id", () => {
  const [first, second, fork] = [put("first"), put("a_second"), put("fork")];
  const logs = logsAt(home.path);
  vi.mocked(readdirSync).mockClear();

  expect(logs.find(fork, "first")).toBe(first);
  expect(logs.find(fork, "a_second")).toBe(second);
  expect(logs.find(fork, "second")).toBe(second);

  expect(vi.mocked(readdirSync).mock.calls).toEqual([[dirname(fork)]]);
});

it("finds a log that came to a folder after the last look", () => {
  const fork = put("fork");
  const logs = logsAt(home.path);
  expect(logs.find(fork, "later")).toBeUndefined();

  const later = put("later");

  expect(logs.find(fork, "later")).toBe(later);
});
