import { createHash } from "node:crypto";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { jsonlRecords, restoredFiles } from "@pond/adapter-testkit";
import { type Message, type MessageEvent, messageFromWire, partsOf } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import { afterEach, expect, it, vi } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { restoreMention } from "./records/mention.ts";
import { toOmp, toPi } from "./to-pi.ts";

const home = new TemporaryHome();

afterEach(() => vi.unstubAllEnvs());

const bytes = Buffer.from("a picture of a loom");
const hash = createHash("sha256").update(bytes).digest("hex");
const ref = `blob:sha256:${hash}`;
const gone = `blob:sha256:${"0".repeat(64)}`;
const image = (data: string) => ({ type: "image", data, mimeType: "image/png" });
const log = `${project}/${logName("s1")}`;

function putSession(...data: readonly string[]): void {
  home.put(log, [
    header("s1"),
    message("a1", null, { role: "user", content: data.map(image) }),
    message("a2", "a1", {
      role: "toolResult",
      toolCallId: "c",
      toolName: "read",
      content: data.map(image),
    }),
  ]);
}

it("reads the bytes that a log refers to, and restores the reference and the file", async () => {
  putSession(ref);
  home.put(`blobs/${hash}`, bytes);

  const { contents, lineages, faults } = await readHome(fromOmp(home.path));
  const [, user, tool] = contents[0]?.messages ?? [];
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  expect(faults).toEqual([]);
  expect(user && partsOf(user)).toMatchObject([{ type: "file", data: { type: "bytes", bytes } }]);
  // Any other client is given the image itself.
  expect(tool && partsOf(tool)).toMatchObject([{ result: [image(bytes.toString("base64"))] }]);
  expect([...restored.keys()].sort()).toEqual([`blobs/${hash}`, log]);
  expect(restored.get(`blobs/${hash}`)).toEqual(bytes);
  expect(
    Buffer.from(restored.get(log) ?? [])
      .toString()
      .split(ref),
  ).toHaveLength(3);
});

it("keeps a reference to a missing blob, and reports it once, at its record", async () => {
  putSession(gone);

  const { contents, events, lineages } = await readHome(fromOmp(home.path));
  const faults = events.filter((event) => event.kind === "fault");
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  const reason = `blob ${"0".repeat(64)} is gone; the reference is kept`;
  expect(faults).toMatchObject([
    { fault: { details: { record: 2, reason } }, records: 0, isLogWhole: true },
  ]);
  expect(contents[0]?.messages).toHaveLength(3);
  expect(events.map((event) => event.kind === "message" && event.isIncomplete === true)).toEqual(
    events.map((event) => event.kind === "message" && ["a1", "a2"].includes(event.message.id)),
  );
  expect([...restored.keys()]).toEqual([log]);
  expect(
    Buffer.from(restored.get(log) ?? [])
      .toString()
      .split(gone),
  ).toHaveLength(3);
});

it("reports a missing blob that no part can hold at the record that first refers to it", async () => {
  const evicted = { role: "user", content: "to cold storage", evicted: { content: gone } };
  home.put(log, [
    header("s1"),
    message("a1", null, { role: "user", content: "weave" }),
    message("a2", "a1", evicted),
    message("a3", "a2", evicted),
  ]);

  const { events } = await readHome(fromOmp(home.path));
  const faults = events.filter((event) => event.kind === "fault");

  expect(faults).toMatchObject([{ fault: { details: { record: 3 } }, records: 0 }]);
});

it("tells whether a stored message holds the bytes of a missing blob", async () => {
  const other = Buffer.from("another picture");
  const otherHash = createHash("sha256").update(other).digest("hex");
  const states: Message[][] = [];
  const isStoredComplete: MessageEvent["isStoredComplete"][][] = [];
  for (const files of [[], [hash], [otherHash], [hash, otherHash]]) {
    putSession(ref, `blob:sha256:${otherHash}`);
    for (const [name, file] of [
      [hash, bytes],
      [otherHash, other],
    ] as const) {
      if (files.includes(name)) home.put(`blobs/${name}`, file);
      else rmSync(join(home.path, "blobs", name), { force: true });
    }
    const { contents, events } = await readHome(fromOmp(home.path));
    states.push([...(contents[0]?.messages ?? [])]);
    isStoredComplete.push(
      events.flatMap((event) => (event.kind === "message" ? [event.isStoredComplete] : [])),
    );
  }

  // By what is read: by what is stored, the answers for the prompt and for the result of the tool.
  const answers = isStoredComplete.map((read) =>
    states.map((stored) =>
      [1, 2].flatMap((at) => {
        const message = stored[at];
        const isHeld = message && read[at]?.({ ...message, parts: partsOf(message) });
        return isHeld ?? [];
      }),
    ),
  );
  const [no, yes] = [
    [false, false],
    [true, true],
  ];
  expect(answers).toEqual([
    [no, yes, yes, yes],
    [no, no, yes, yes],
    [no, yes, no, yes],
    [[], [], [], []],
  ]);
});

it.each(["blob:sha256:../../../etc/passwd", `blob:sha256:${"A".repeat(64)}`, "blob:sha256:"])(
  "reads no file for the malformed reference %j",
  async (data) => {
    putSession(data);

    const { contents, faults } = await readHome(fromOmp(home.path));

    expect(faults).toEqual([]);
    expect(JSON.stringify(contents[0]?.messages[2]?.options)).not.toContain("sidecar");
  },
);

it("reports a link out of the blob folder, and does not follow it", async () => {
  putSession(ref);
  home.put(`elsewhere`, bytes);
  home.put("blobs/other", "");
  symlinkSync(join(home.path, "elsewhere"), join(home.path, "blobs", hash));

  expect((await readHome(fromOmp(home.path))).faults).toEqual([`blob ${hash} is not a file`]);
});

it("keeps bytes that no part can hold in a message after the entries", async () => {
  home.put(log, [
    header("s1"),
    {
      type: "custom",
      customType: "x",
      data: { deep: [{ picture: ref }] },
      id: "a1",
      parentId: null,
    },
  ]);
  home.put(`blobs/${hash}`, bytes);

  const { contents, lineages } = await readHome(fromOmp(home.path));
  const last = contents[0]?.messages.at(-1);
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));

  expect(last && [last.id, sourceOf(last)]).toEqual([
    `blob:${hash}`,
    { sidecar: hash, kind: "blob" },
  ]);
  expect(restored.get(`blobs/${hash}`)).toEqual(bytes);
});

it("names the file that a user mentioned, and restores the mention as it was (`adapter-native-restore-lossless`)", async () => {
  const files = [
    { path: "shot.png", content: "", image: { ...image(ref), detail: "low" } },
    { path: "huge.bin", content: "(skipped: too large)", skippedReason: "tooLarge" },
    { path: "bare.bin", skippedReason: "binary" },
    { path: "y.md", content: "a text" },
    { path: "", content: "of no file" },
    { path: 7, content: "of no name" },
    { content: "", image: image(gone) },
    { path: "odd.png", content: null, image: "none" },
    { image: image(ref) },
  ];
  const entry = message("a1", null, { role: "fileMention", files });
  home.put(log, [header("s1"), entry]);
  home.put(`blobs/${hash}`, bytes);

  const { contents, lineages } = await readHome(fromOmp(home.path));
  const parts = contents[0]?.messages.flatMap(partsOf) ?? [];
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toOmp.writeNative(lineage)]));
  const [foreign] = restoredFiles(
    lineages.flatMap((lineage) => [...toPi.writeForeign(lineage, {})]),
  ).values();

  expect(jsonlRecords(restored).get(log)).toEqual([header("s1"), entry]);
  expect(parts.flatMap((part) => (part.type === "file" ? [part.file_name] : []))).toEqual([
    "shot.png",
    undefined,
  ]);
  for (const path of ["shot.png", "huge.bin", "bare.bin", "y.md", "odd.png"]) {
    expect(Buffer.from(foreign ?? []).toString()).toContain(`"${path}"`);
  }
});

it("restores a mentioned file from an older store, which has no part for its path", () => {
  const message = messageFromWire({
    id: "m",
    session_id: "s",
    role: "user",
    timestamp: "2026-03-01T09:00:00.000Z",
    options: {},
    content: [
      {
        id: "0",
        session_id: "s",
        message_id: "m",
        type: "text",
        text: "a text",
        provenance: "injected",
        options: { source: { kind: "file-mention", rest: { path: "y.md", lineCount: 1 } } },
      },
    ],
  });

  expect(partsOf(message).map((part) => restoreMention(part))).toEqual([
    { path: "y.md", lineCount: 1, content: "a text" },
  ]);
});

it("finds blobs in a folder that the reader is given; for pi, reports a reference as a fault", async () => {
  putSession(ref);
  const folder = join(home.put(`pictures/${hash}`, bytes), "..");

  expect((await readHome(fromOmp(join(home.path, project), { blobs: folder }))).faults).toEqual([]);
  const { faults, lineages } = await readHome(fromPi(home.path));
  const restored = restoredFiles(lineages.flatMap((lineage) => [...toPi.writeNative(lineage)]));

  expect(faults).toEqual([`blob ${hash} is a file of omp's; the reference is kept`]);
  expect([...restored.keys()]).toEqual([log]);
});

it("finds the blobs in the client's home for a session folder that lies elsewhere", async () => {
  home.put(`chats/${logName("s1")}`, [
    header("s1"),
    message("a1", null, { role: "user", content: [image(ref)] }),
  ]);
  home.put(`.omp/agent/blobs/${hash}`, bytes);
  vi.stubEnv("HOME", home.path);

  const { contents, faults } = await readHome(fromOmp(join(home.path, "chats")));

  const [, user] = contents[0]?.messages ?? [];
  expect(faults).toEqual([]);
  expect(user && partsOf(user)).toMatchObject([{ type: "file", data: { type: "bytes", bytes } }]);
});

it.each([
  ["beside it", ".omp"],
  ["in the user's home if its state was moved", "state/omp"],
])("finds the blobs of a security scan among those of the agent %s", async (_, root) => {
  home.put(`${root}/security/loom-1/sessions/${logName("s1")}`, [
    header("s1"),
    message("a1", null, { role: "user", content: [image(ref)] }),
  ]);
  home.put(`.omp/agent/blobs/${hash}`, bytes);
  // What lies beside it is found although this machine's agents are others.
  vi.stubEnv("HOME", root === ".omp" ? join(home.path, "other") : home.path);

  const { contents, faults } = await readHome(fromOmp(join(home.path, root, "security/loom-1")));

  expect(faults).toEqual([]);
  expect(contents[0]?.messages.flatMap(partsOf)).toMatchObject([
    { data: { type: "bytes", bytes } },
  ]);
});
