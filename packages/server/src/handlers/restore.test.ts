import type { Lineage, Meanings, RestoredFile, Writer } from "@pond/canonical/adapter";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chat, testPond } from "../testing.ts";

/** A file for each session; what it holds is chosen by the id. */
function* files({ root, descendants }: Lineage, suffix: string): Generator<RestoredFile> {
  for (const { session, messages } of [root, ...descendants]) {
    const { id } = session;
    yield {
      session: id,
      path: id === "unsafe" ? "../../x" : `sessions/${id}${suffix}`,
      content:
        id === "binary"
          ? [new Uint8Array([0xff, 0xfe, 0])]
          : [`${messages.length} messages\n`, new TextEncoder().encode("späť\n")],
      ...(id === "named" && { shared: { key: "id", time: "at" } }),
      ...(suffix === ".foreign" && { fidelity: { text: { kept: 1, translated: 0, dropped: 2 } } }),
    };
  }
}

function writerOf(origin: string): Writer {
  return {
    origin,
    writeNative: (lineage) => files(lineage, ".native"),
    writeForeign: (lineage) => files(lineage, ".foreign"),
  };
}

const writers = new Map(["claude-code", "codex"].map((origin) => [origin, writerOf(origin)]));
const text = "1 messages\nspäť\n";
const bytes = Buffer.byteLength(text);
/** What is named so goes on from a session that is not stored. */
const meanings: Meanings = {
  recordRulesOf: () => ({
    inherited: ({ session: { id } }) => ({
      pieces: [],
      ...(id.startsWith("half") && { missing: ["base"] }),
    }),
  }),
};
const restorers = { writers, meanings };
const pond = testPond({ restorers, limits: { maxRestoreBytes: 2 * bytes } });

beforeAll(async () => {
  await pond.ask("ingest", {
    events: [
      ...chat("root", ["a"]),
      ...chat("child", ["b"], { parent: "root" }),
      ...chat("grandchild", ["c"], { parent: "child" }),
      ...chat("binary", ["d"]),
      ...chat("named", ["d"]),
      ...chat("unsafe", ["e"]),
      ...chat("stranger", ["f"], { agent: "someone" }),
      ...chat("whole", ["e"]),
      ...chat("half", ["f"], { parent: "whole" }),
      ...chat("huge", ["h".repeat(1_100_000)]),
      ...chat("loop", ["g"], { parent: "loop-2" }),
      ...chat("loop-2", ["h"], { parent: "loop" }),
    ],
  });
});
afterAll(() => pond.remove());

test("gives back the files of a session and of all its descendants", async () => {
  const answer = await pond.ask("restore", { session_id: "child" });

  expect(answer).toEqual({
    ...{ session_id: "child", to: "claude-code", native: true },
    fidelity: { text: { kept: 2, translated: 0, dropped: 0 } },
    files: ["child", "grandchild"].map((id) => ({
      ...{ session_id: id, path: `sessions/${id}.native`, bytes },
      content: { type: "text", text },
    })),
  });
});

test("translates a session for another client, and reports what is lost", async () => {
  const answer = await pond.ask("restore", { session_id: "grandchild", to: "codex", at: "first" });

  const fidelity = { text: { kept: 1, translated: 0, dropped: 2 } };
  expect(answer).toMatchObject({ to: "codex", native: false, fidelity, files: [{ fidelity }] });
});

test("gives content that is not text as base64", async () => {
  const { files: restored } = await pond.ask("restore", { session_id: "binary" });

  expect(restored).toMatchObject([{ bytes: 3, content: { type: "base64", base64: "//4A" } }]);
});

test("marks the files whose lines go into a file that sessions share", async () => {
  const asked = ["named", "whole"].map((session_id) => pond.ask("restore", { session_id }));

  const [named, whole] = await Promise.all(asked);
  expect(named?.files.map(({ shared }) => shared)).toEqual([true]);
  expect(whole?.files[0]).not.toHaveProperty("shared");
});

test("gives back sessions in a circle, beginning with the one asked for", async () => {
  const { files } = await pond.ask("restore", { session_id: "loop" });

  expect(files.map(({ session_id }) => session_id)).toEqual(["loop", "loop-2"]);
});

test.each(["claude-code", "codex"])(
  "names the sessions whose inherited history is missing, for %s",
  async (to) => {
    const answer = await pond.ask("restore", { session_id: "whole", to });

    expect(answer).toMatchObject({ incomplete: ["half"], files: [{}, {}] });
  },
);

test.each([
  ["files are larger than its limit", "root"],
  ["messages would fill the memory", "huge"],
])("refuses a restore whose %s", async (_, session_id) => {
  await expect(pond.ask("restore", { session_id })).rejects.toMatchObject({
    code: "validation_failed",
    details: { field: "session_id", limit: 2 * bytes },
  });
});

test.each([
  ["a session that is not stored", { session_id: "none" }, "not_found", {}],
  [
    "a session that is not stored, for a given client",
    { session_id: "none", to: "codex" },
    "not_found",
    {},
  ],
  ["the beginning of an id", { session_id: "unsa" }, "not_found", { candidates: ["unsafe"] }],
  [
    "the beginning of an id, for a given client",
    { session_id: "unsa", to: "codex" },
    "not_found",
    { count: 1 },
  ],
  [
    "a session for an unknown client",
    { session_id: "root", to: "__proto__" },
    "validation_failed",
    { field: "to", known: ["claude-code", "codex"] },
  ],
  [
    "a session from an unknown client",
    { session_id: "stranger" },
    "validation_failed",
    { field: "to", known: ["claude-code", "codex"] },
  ],
  [
    "a session with a path outside the target folder",
    { session_id: "unsafe" },
    "internal",
    { kind: "unsafe_path" },
  ],
])("refuses to restore: %s", async (_, request, code, details) => {
  await expect(pond.ask("restore", request)).rejects.toMatchObject({ code, details });
});

test("refuses every restore when the server has no restorers", async () => {
  const bare = testPond();
  await bare.ask("ingest", { events: chat("a", ["x"]) });

  await expect(bare.ask("restore", { session_id: "a" })).rejects.toMatchObject({
    code: "validation_failed",
    message: 'to: no client "claude-code" can be restored for; known: none',
  });
  await bare.remove();
});
