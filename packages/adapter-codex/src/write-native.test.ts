import { fileURLToPath } from "node:url";
import {
  contentOf,
  findSessions,
  lineagesOf,
  readAll,
  readFolder,
  readSource,
  restoredFiles,
  sessionTexts,
  withFolder,
  withReversedKeys,
} from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { fromCodex } from "./from-codex.ts";
import { toCodex } from "./to-codex.ts";

const parent = "019e0000-0000-7000-8000-000000000001";
const child = "019e0000-0000-7000-8000-000000000002";
const pathOf = (thread: string): string =>
  `sessions/2026/10/04/rollout-2026-10-04T11-00-00-${thread}.jsonl`;

const line = (ordinal: number, type: string, payload: string): string =>
  `{"timestamp":"2026-10-04T09:00:00.000Z","ordinal":${ordinal},"type":"${type}","payload":${payload}}\n`;
const meta = (thread: string, more: string): string =>
  `{"id":"${thread}","timestamp":"2026-10-04T09:00:00.000Z","cwd":"/home/ada"${more}}`;

async function restore(files: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const bytes = new Map([...files].map(([path, text]) => [path, Buffer.from(text)]));
  return withFolder(bytes, async (folder) => {
    const reader = fromCodex(folder);
    const { sessions } = await findSessions(reader);
    const contents = [];
    for (const { key } of sessions) contents.push(contentOf(await readAll(reader, key)));
    const restored = lineagesOf(contents).flatMap((lineage) => [...toCodex.writeNative(lineage)]);
    return new Map(restored.map(({ path, content }) => [path, [...content].join("")]));
  });
}

it("pads a part of a file so that it ends at the byte offset that a fork names", async () => {
  const usage = '{"type":"token_count","rate_limits":{"primary":{"spent":3.0}}}';
  const begin = line(0, "session_meta", meta(parent, "")) + line(1, "event_msg", usage);
  const base = `,"forked_from_id":"${parent}","history_base":{"thread_id":"${parent}","end_ordinal_exclusive":2,"end_byte_offset":${begin.length}}`;
  const files = new Map([
    [pathOf(parent), begin + line(2, "event_msg", usage)],
    [pathOf(child), line(2, "session_meta", meta(child, base))],
  ]);

  const restored = await restore(files);

  const text = restored.get(pathOf(parent)) ?? "";
  expect(text.slice(0, begin.length)).toBe(begin.replace("3.0}}}}", "3}}}}  "));
  expect(text.slice(begin.length)).toBe(line(2, "event_msg", usage).replace("3.0", "3"));
  expect(restored.get(pathOf(child))).toBe(files.get(pathOf(child)));
});

it("pads parts that end before, within or after an older client's lines without numbers", async () => {
  const usage = '{"type":"token_count","rate_limits":{"primary":{"spent":3.0}}}';
  const old = (ordinal: number): string =>
    line(ordinal, "event_msg", usage).replace(`"ordinal":${ordinal},`, "");
  const begin = line(0, "session_meta", meta(parent, "")) + line(1, "event_msg", usage);
  const middle = old(2) + old(3);
  const end = old(4);
  const fork = (thread: string, bytes: number): readonly [string, string] => {
    const base = `,"forked_from_id":"${parent}","history_base":{"thread_id":"${parent}","end_ordinal_exclusive":2,"end_byte_offset":${bytes}}`;
    return [pathOf(thread), line(2, "session_meta", meta(thread, base))];
  };
  const second = child.replace(/2$/, "3");
  const third = child.replace(/2$/, "4");
  const restored = await restore(
    new Map([
      [pathOf(parent), begin + middle + end],
      fork(child, begin.length),
      fork(second, begin.length + middle.length),
      fork(third, begin.length + middle.length + end.length),
    ]),
  );

  const text = restored.get(pathOf(parent)) ?? "";
  expect(text.slice(0, begin.length)).toBe(begin.replace("3.0}}}}", "3}}}}  "));
  const behind = text.slice(begin.length);
  expect(behind).toBe(
    old(2).replace("3.0", "3") +
      old(3).replace("3.0}}}}", "3}}}}    ") +
      end.replace("3.0}}}}", "3}}}}  "),
  );
});

it("writes percentages as the client does, so that byte offsets stay the same", async () => {
  const shares = '{"primary":{"used_percent":3.0},"secondary":{"used_percent":12.5}}';
  const usage = `{"type":"token_count","rate_limits":${shares},"primary_used_percent":100.0,"primary_to_secondary_ratio_percent":0.0}`;
  // The client takes no fraction here, and leaves the whole line out where one stands.
  const left = '{"type":"token_count","rate_limits":{"individual_limit":{"remaining_percent":73}}}';
  const said = String.raw`{"type":"agent_message","message":"{\"used_percent\":3,\"percent\":4}"}`;
  const result = '{"type":"mcp_tool_call_end","result":{"disk":{"used_percent":3}}}';
  const digits = `{"type":"agent_message","message":"${"7".repeat(1_000_000)}"}`;
  const lines = [meta(parent, ""), usage, left, said, result, digits].map((payload, ordinal) =>
    line(ordinal, ordinal === 0 ? "session_meta" : "event_msg", payload),
  );

  const restored = await restore(new Map([[pathOf(parent), lines.join("")]]));

  expect(restored.get(pathOf(parent))).toBe(lines.join(""));
});

it.each([
  ["is far beyond the end of the file", 999_999_999_999],
  ["is inside the first line", 1],
])("writes a file without padding if the end that another file names %s", async (_, bytes) => {
  const begin = line(0, "session_meta", meta(parent, ""));
  const base = `,"forked_from_id":"${parent}","history_base":{"thread_id":"${parent}","end_ordinal_exclusive":1,"end_byte_offset":${bytes}}`;
  const files = new Map([
    [pathOf(parent), begin],
    [pathOf(child), line(1, "session_meta", meta(child, base))],
  ]);

  const restored = await restore(files);

  expect(restored.get(pathOf(parent))).toBe(begin);
});

it.each([
  "items",
  "media",
  "injected",
  "events",
  "interrupted",
  "before-envelopes",
  "paginated",
  "goals",
  "reviews",
  "reverted",
])("restores the fixture %s with the same ids, whatever the order of its keys", async (name) => {
  const folder = fileURLToPath(new URL(`../../../fixtures/codex/${name}/input`, import.meta.url));
  const files = withReversedKeys(await readFolder(folder));

  const read = await withFolder(files, (home) => readSource(fromCodex(home)));
  const restored = lineagesOf([...read.values()].map(contentOf)).flatMap((lineage) => [
    ...toCodex.writeNative(lineage),
  ]);
  const again = await withFolder(restoredFiles(restored), (home) => sessionTexts(fromCodex(home)));

  expect(again).toEqual(await withFolder(files, (home) => sessionTexts(fromCodex(home))));
});
