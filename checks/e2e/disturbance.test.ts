import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, finished, type Home } from "./pond.ts";
import { allRows, duplicateKeys } from "./rows.ts";
import { claudeCodeHomes } from "./sources.ts";

// The richest source there is here.
const source = claudeCodeHomes().at(-1)?.home ?? "";
const kills = Number(process.env["POND_KILLS"] ?? 4);

let undisturbed: Home;
let home: Home;
beforeEach(() => {
  undisturbed = createHome();
  home = createHome();
});
afterEach(() => {
  undisturbed.remove();
  home.remove();
});

const storage = (of: Home): string => join(of.folder, "data", "pond", "default");
const sync = ["sync", "claude-code", "--path", source, "--json"] as const;

test("four processes that sync the same sources at once leave what one leaves", async () => {
  await undisturbed.pond(...sync);

  const runs = await Promise.all([1, 2, 3, 4].map(() => home.pond(...sync)));

  expect(runs.map(({ code }) => code).filter((code) => code !== 0 && code !== 3)).toEqual([]);
  const rows = await allRows(storage(home));
  expect(duplicateKeys(rows)).toEqual([]);
  expect(rows).toEqual(await allRows(storage(undisturbed)));
});

test(`a sync killed at ${kills} moments, then run in peace, leaves what one leaves`, async () => {
  const startedMs = performance.now();
  await undisturbed.pond(...sync);
  const wholeMs = performance.now() - startedMs;
  const expected = await allRows(storage(undisturbed));

  for (let kill = 0; kill < kills; kill++) {
    const child = home.start(...sync);
    const end = finished(child);
    // Spread over the whole run; where exactly does not matter.
    await sleep(wholeMs * ((kill + 0.5) / kills));
    child.kill("SIGKILL");
    await end;
    if (kill % 5 === 4) {
      await home.pond(...sync);
      expect(await allRows(storage(home))).toEqual(expected);
      home.remove();
      mkdirSync(home.folder);
    }
  }
  await home.pond(...sync);

  expect(await allRows(storage(home))).toEqual(expected);
});

test("what cannot be read is named, and everything around it is kept", async () => {
  const folder = join(undisturbed.folder, "projects", "-work-app");
  mkdirSync(folder, { recursive: true });
  const id = "0b5e8f4e-58a5-4c6b-9d0e-1f0c7a3c2d11";
  const user = (uuid: string, text: string): string =>
    JSON.stringify({
      type: "user",
      uuid,
      parentUuid: null,
      sessionId: id,
      cwd: "/work/app",
      timestamp: "2026-08-01T09:00:00.000Z",
      message: { role: "user", content: text },
    });
  writeFileSync(
    join(folder, `${id}.jsonl`),
    [
      user("a", "the first"),
      "this is no JSON",
      "[1, 2]",
      "\0\0\0\0",
      `{"type":"mode","mode":"normal","deep":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
      user("b", "a lone \ud800 surrogate"),
      '{"type":"cost","value":1e400,"id":9007199254740993,"__proto__":{"x":1}}',
      user("b", "the same uuid again"),
      user("c", "the last"),
      '{"type":"user","uu',
    ].join("\n"),
  );
  mkdirSync(join(folder, "1b5e8f4e-58a5-4c6b-9d0e-1f0c7a3c2d11.jsonl"));

  const path = undisturbed.folder;
  const first = await home.pond("sync", "claude-code", "--path", path, "--json");
  const second = await home.pond("sync", "claude-code", "--path", path, "--json");

  expect(first.code).toBe(3);
  const [report] = JSON.parse(first.stdout).adapters;
  expect(
    report.faults.map(({ location }: { location: string }) => location.replace(/.*:/, "")),
  ).toEqual(expect.arrayContaining(["2", "3", "4"]));
  expect(report).toMatchObject({ messages_added: 6, sessions: { new: 1, pending: 1 } });
  expect(JSON.parse(second.stdout).adapters[0]).toMatchObject({ messages_added: 0 });
});
