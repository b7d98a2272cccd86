import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentOf, findSessions, readAll, withFolder } from "@pond/adapter-testkit";
import type { Message } from "@pond/canonical";
import { carriedRecord } from "@pond/canonical/adapter";
import { titleOf } from "@pond/canonical/foreign";
import { describe, expect, it } from "vitest";
import { fromCodex } from "./from-codex.ts";
import { toCodex } from "./to-codex.ts";

const [yarn, warp] = ["1", "2"].map((last) => `019e0000-0000-7000-8000-00000000000${last}`) as [
  string,
  string,
];
const pathOf = (thread: string): string =>
  `sessions/2026/05/04/rollout-2026-05-04T11-00-00-${thread}.jsonl`;
const time = (minute: number): string => `2026-05-04T09:0${minute}:00.000Z`;
const meta = (id: string) => ({
  timestamp: time(0),
  type: "session_meta",
  payload: { id, timestamp: time(0), cwd: "/home/ada/loom" },
});
const said = (minute: number, text: string) => ({
  timestamp: time(minute),
  type: "response_item",
  payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});
const named = (id: string, thread_name: unknown, minute = 9) => ({
  ...{ id, thread_name },
  updated_at: time(minute),
});
const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

function write(folder: string, path: string, content: string | Uint8Array): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** A home with two threads. */
async function inHome(run: (home: string) => Promise<void>): Promise<void> {
  await withFolder(new Map(), async (home) => {
    for (const id of [yarn, warp]) write(home, pathOf(id), lines(meta(id), said(1, "Hello.")));
    await run(home);
  });
}

/** What a place says: the titles of its threads, and what is wrong with it. */
async function look(place: string) {
  const reader = fromCodex(place);
  const { sessions, faults } = await findSessions(reader);
  const titles: (string | undefined)[] = [];
  const counts: number[] = [];
  for (const { key } of sessions) {
    const { messages } = contentOf(await readAll(reader, key));
    titles.push(titleOf(messages)?.text);
    counts.push(messages.length);
  }
  const fingerprints = sessions.map(({ fingerprint }) => fingerprint);
  return { titles, counts, fingerprints, faults };
}

describe("the names of threads", () => {
  it.each([
    ["the home folder", "", "Blue"],
    ["the sessions folder", "sessions", "Blue"],
    ["the folder of a year", "sessions/2026", "Blue"],
    ["the folder of a day", "sessions/2026/05/04", "Blue"],
    ["the file of one thread", pathOf(yarn), undefined],
  ])(
    "are read with a folder of threads, but not with a single file: %s",
    async (_, place, title) => {
      await inHome(async (home) => {
        write(home, "session_index.jsonl", lines(named(yarn, "Green"), named(yarn, "Blue")));

        const { titles, counts, faults } = await look(join(home, place));

        const others = place === pathOf(yarn) ? [] : [undefined];
        expect([titles, counts[0], faults]).toEqual([[title, ...others], title ? 4 : 2, []]);
      });
    },
  );

  it("stand at their time among the messages, and stay there as the thread grows", async () => {
    await inHome(async (home) => {
      const labels = async (): Promise<readonly unknown[]> => {
        const { messages } = contentOf(await readAll(fromCodex(home), pathOf(yarn)));
        return messages.slice(1).map(labelOf);
      };
      const index = lines(named(yarn, "Green", 2), { id: yarn, thread_name: "Last" });
      write(home, "session_index.jsonl", `${lines(named(yarn, "First", 0))}${index}`);
      const states = [await labels()];
      appendFileSync(join(home, pathOf(yarn)), lines(said(3, "More."), said(4, "Again.")));
      states.push(await labels());
      appendFileSync(join(home, "session_index.jsonl"), lines(named(yarn, "Newest", 5)));
      states.push(await labels());

      expect(states).toEqual([
        ["First", "Hello.", "Green", "Last"],
        ["First", "Hello.", "Green", "Last", "More.", "Again."],
        ["First", "Hello.", "Green", "Last", "More.", "Again.", "Newest"],
      ]);
    });
  });

  it("give a thread the last name that is not empty, as in the client", async () => {
    await inHome(async (home) => {
      const names = ["Blue", "Green", "", "  ", null, 1, undefined, {}];
      write(home, "session_index.jsonl", lines(...names.map((name) => named(yarn, name))));

      const { titles, counts, faults } = await look(home);

      expect([titles, counts, faults]).toEqual([["Green", undefined], [10, 2], []]);
    });
  });

  it("change the fingerprint of their own thread only", async () => {
    await inHome(async (home) => {
      const without = (await look(home)).fingerprints;
      const file = write(home, "session_index.jsonl", lines(named(warp, "Warp")));
      const reader = fromCodex(home);
      const first = (await findSessions(reader)).sessions.map(({ fingerprint }) => fingerprint);
      appendFileSync(file, `${lines(named(yarn, "Yarn"))}{broken\n${lines(named("gone", "x"))}`);
      const now = await Promise.all([yarn, warp].map((id) => reader.fingerprint(pathOf(id))));

      expect(first.map((each, at) => each === without[at])).toEqual([true, false]);
      expect(now.map((each, at) => each === first[at])).toEqual([false, true]);
      expect((await look(home)).fingerprints).toEqual(now);
    });
  });

  it.each([
    ["a truncated line", '{"id":"0', /not JSON/],
    ["a line that holds a list", "[1]", /object/],
    ["a line that names no thread", '{"thread_name":"x"}', /names no thread/],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff]), /UTF-8/],
    ["a run of zeros", Buffer.alloc(300), /zeros/],
    ["an overlong line", `{"id":"${yarn}","thread_name":"${"x".repeat(2 ** 20)}"}`, /too long/],
  ])("are read around %s, which is reported once", async (_, damage, reason) => {
    await inHome(async (home) => {
      const around = [named(yarn, "Yarn"), named(warp, "Warp")].map((each) => lines(each));
      const [before = "", after = ""] = around;
      const bytes = [before, damage, "\n", after].map((each) => Buffer.from(each));
      const file = write(home, "session_index.jsonl", Buffer.concat(bytes));

      const found = await Array.fromAsync(fromCodex(home).sessions());
      const faults = found.filter((each) => each.kind === "fault");

      expect(faults).toEqual([expect.objectContaining({ isLeftover: true })]);
      expect(faults[0]?.fault.details).toMatchObject({
        ...{ uri: file, record: 2, byteOffset: before.length },
        reason: expect.stringMatching(reason),
      });
      expect((await look(home)).titles).toEqual(["Yarn", "Warp"]);
    });
  });

  it.each([
    ["of unknown threads", lines(named("019e0000-0000-7000-8000-00000000000f", "x"))],
    [
      "of ids named like prototype properties",
      lines(named("__proto__", "x"), named("constructor", "x")),
    ],
    ["of ids that are paths", lines(named("../../auth.json", "x"))],
    [
      "of an id with an added space or of an empty id",
      lines(named(`${yarn} `, "x"), named("", "x")),
    ],
    ["still being written", `{"id":"${yarn}","thread_name":"x`],
  ])("are ignored if their lines are %s", async (_, content) => {
    await inHome(async (home) => {
      write(home, "session_index.jsonl", content);

      const { titles, counts, faults } = await look(home);

      expect([titles, counts, faults]).toEqual([[undefined, undefined], [2, 2], []]);
    });
  });

  it("are reported if their line was never finished", async () => {
    await inHome(async (home) => {
      const torn = `{"id":"${warp}","thread_na`;
      const file = write(home, "session_index.jsonl", `${lines(named(yarn, "Yarn"))}${torn}`);
      const before = new Date(Date.now() - 2 * 3_600_000);
      utimesSync(file, before, before);

      const { titles, faults } = await look(home);

      expect(titles).toEqual(["Yarn", undefined]);
      expect(faults.map(({ details }) => [details.uri, details.record])).toEqual([[file, 2]]);
    });
  });

  it.each([
    ["a symbolic link", (place: string, elsewhere: string) => symlinkSync(elsewhere, place)],
    ["a folder", (place: string) => mkdirSync(place)],
    ["a pipe", (place: string) => execFileSync("mkfifo", [place])],
  ])("are not read from an index that is %s", async (_, make) => {
    await inHome(async (home) => {
      make(join(home, "session_index.jsonl"), write(home, "elsewhere", lines(named(yarn, "Yarn"))));

      const { titles, faults } = await look(home);

      expect(titles).toEqual([undefined, undefined]);
      expect(faults.map(({ details }) => details.reason)).toEqual([
        "a symbolic link or no file, not followed",
      ]);
    });
  });

  it("are restored as the original lines, after the files of their thread", async () => {
    await inHome(async (home) => {
      const index = [named(yarn, "\u001b[31mred\u001b[0m"), named(yarn, "Blue")].map((each) =>
        lines(each),
      );
      const odd = `{"id":"${warp}","updated_at":"2026-05-04T09:01:00.1234567+02:00","thread_name":"W","n":1e400}\n`;
      write(home, "session_index.jsonl", `${index[0]}${odd}${index[1]}`);

      const restored = [];
      for (const id of [yarn, warp]) {
        const root = contentOf(await readAll(fromCodex(home), pathOf(id)));
        restored.push(...toCodex.writeNative({ root, descendants: [] }));
      }

      expect(restored.map(({ path, shared }) => [path, shared])).toEqual([
        [pathOf(yarn), undefined],
        ["session_index.jsonl", { key: "id", time: "updated_at" }],
        [pathOf(warp), undefined],
        ["session_index.jsonl", { key: "id", time: "updated_at" }],
      ]);
      const texts = restored.map(({ content }) => [...content].join(""));
      expect([texts[0], texts[1], texts[3]]).toEqual([
        lines(meta(yarn), said(1, "Hello.")),
        index.join(""),
        odd,
      ]);
    });
  });
});

function labelOf(message: Message): unknown {
  if (message.role !== "user") return carriedRecord(message)?.["thread_name"];
  const [part] = message.content;
  return part?.type === "text" ? part.text : undefined;
}
