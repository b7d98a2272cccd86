import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixtures, Home, line } from "./testing.ts";

let home: Home;
beforeAll(async () => {
  home = new Home();
  const samples = join(fixtures, "samples", "claude-code");
  await home.pond("sync", "claude-code", "--path", samples);
});
afterAll(() => home.remove());

const ledger = "c5e1b000-3f0a-4d7e-8b21-6a9d4e2f1c02";
const remembered = (): string => join(home.folder, ".local", "state", "pond", "last-search");

async function found(...query: readonly string[]): Promise<string[]> {
  const { stdout } = await home.pond("search", ...query, "--json");
  const { sessions } = JSON.parse(stdout);
  return sessions.map(({ session_id }: { session_id: string }) => session_id);
}

async function shownFor(typed: string): Promise<string> {
  const { stdout } = await home.pond("get", typed, "--json");
  return JSON.parse(stdout).session?.id;
}

test("the numbers of a search name its sessions in every command that takes a session", async () => {
  const ids = await found("the");
  await home.pond("search", "the");

  expect(ids.length).toBeGreaterThan(1);
  expect(await shownFor("1")).toBe(ids[0]);
  expect(await shownFor("2")).toBe(ids[1]);
  const out = join(home.folder, "restored");
  const restored = await home.pond("restore", "2", "--out", out, "--json");
  expect(JSON.parse(restored.stdout).files[0]).toMatchObject({ session_id: ids[1] });
  const resumed = await home.pond("resume", "1", "--json");
  expect(JSON.parse(resumed.stdout)).toMatchObject({ session_id: ids[0] });
  const within = await home.pond("search", "the", "--session", "2", "--json");
  expect(JSON.parse(within.stdout).sessions[0]).toMatchObject({ session_id: ids[1] });
});

test("a search with --json leaves the numbers as a person last saw them", async () => {
  const [first] = await found("the");
  await home.pond("search", "the");
  await found("bank export");

  expect(await shownFor("1")).toBe(first);
});

test("a search that finds nothing clears the numbers of the search before", async () => {
  await home.pond("search", "the");
  await home.pond("search", "xylophonic-quagmire");

  const { code, stderr } = await home.pond("get", "1");

  expect(code).toBe(1);
  expect(stderr).toContain("the last search here has no number 1; to name a session by its id");
});

test("a number that was not shown is never taken for the beginning of an id", async () => {
  const long = "5e551000-0000-4000-8000-000000000001";
  for (const id of [long, "7"]) home.writeSession(id, line(id, `m-${id}`, "a coupon"));
  await home.pond("sync");
  await home.pond("search", "xylophonic-quagmire");

  for (const typed of ["5", "0"]) {
    const { code, stdout, stderr } = await home.pond("get", typed);

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`the last search here has no number ${typed};`);
  }
  expect(await shownFor("7")).toBe("7");
  expect(await shownFor("5e5")).toBe(long);
});

test("hex digits name a session in upper and lower case", async () => {
  const upper = "ABCDEF00-0000-4000-8000-000000000001";
  home.writeSession(upper, line(upper, "m-upper", "upper"));
  await home.pond("sync");

  expect(await shownFor(ledger.slice(0, 8).toUpperCase())).toBe(ledger);
  expect(await shownFor(ledger.toUpperCase())).toBe(ledger);
  expect(await shownFor("abcdef00")).toBe(upper);
  expect((await home.pond("get", "C5E1B0009")).code).toBe(1);
});

test("the beginning of an id still names a session after a search, and an unknown number names none", async () => {
  await home.pond("search", "the");

  expect(await shownFor(ledger.slice(0, 8))).toBe(ledger);
  expect((await home.pond("get", "900")).code).toBe(1);
});

test("only the owner may read the numbers of a search, and no draft of their file stays", async () => {
  await home.pond("search", "the");

  const files = readdirSync(remembered());

  expect(files).toHaveLength(1);
  expect(statSync(join(remembered(), files[0] ?? "")).mode & 0o077).toBe(0);
});

test.each(["", "{", "null", '{"0":"x"}', "[1]", '["../../etc"]'])(
  "a damaged file of numbers, %j, is treated as if it had none, and the next search replaces it",
  async (text) => {
    await home.pond("search", "the");
    for (const file of readdirSync(remembered())) writeFileSync(join(remembered(), file), text);

    const { code, stderr } = await home.pond("get", "1");

    expect([code, stderr]).toEqual([1, expect.stringContaining("is stored")]);
    expect((await home.pond("search", "the")).stderr).not.toContain("warning");
    expect((await home.pond("get", "1")).code).toBe(0);
  },
);

test("a search answers, with a warning, when its numbers cannot be kept", async () => {
  rmSync(remembered(), { recursive: true, force: true });
  writeFileSync(remembered(), "in the way");

  const { code, stdout, stderr } = await home.pond("search", "bank export");

  rmSync(remembered());
  mkdirSync(remembered());
  expect(code).toBe(0);
  expect(stdout).toContain(ledger);
  expect(stderr).toContain("will not know these numbers");
  expect(stderr).toMatch(new RegExp(`${remembered()}/\\S+ cannot be written: `));
});
