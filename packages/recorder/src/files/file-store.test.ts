import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type JsonValue,
  messageToWire,
  parseJson,
  sessionToWire,
  stringifyJson,
} from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentOf, testRecorder, textsOf, user } from "../testing.ts";
import { createFileStore, type SessionStore } from "./file-store.ts";
import { readSession } from "./session-file.ts";

let folder: string;
let store: SessionStore;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "pond-recorder-")), "sessions");
  store = createFileStore(folder);
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

function recorded(sessionId = "s1", text = "Why?") {
  const recorder = testRecorder();
  const loop = recorder.loop({ sessionId });
  loop.say(user(text));
  return { recorder, loop, content: () => contentOf(recorder, sessionId) };
}

test("a folder that does not exist holds no sessions, and reading does not make it", async () => {
  expect([await store.listIds(), await store.load("s1"), await store.delete("s1")]).toEqual([
    [],
    undefined,
    false,
  ]);
  expect(() => statSync(folder)).toThrow("ENOENT");
});

type Use = (store: SessionStore) => Promise<unknown>;
const uses: readonly (readonly [string, Use])[] = [
  ["load", (each) => each.load("s1")],
  ["save", (each) => each.save(recorded().content())],
  ["listForAgent", (each) => each.listForAgent("loom-agent")],
  ["delete", (each) => each.delete("s1")],
];

const listIds: Use = (each) => each.listIds();
test.each([...uses, ["listIds", listIds] as const])(
  "%s fails if the folder is a file or lies below one",
  async (_, use) => {
    writeFileSync(folder, "mine");

    for (const path of [folder, join(folder, "below")]) {
      await expect(use(createFileStore(path))).rejects.toMatchObject({
        code: "no_folder",
        details: { folder: path },
      });
    }
    expect(readFileSync(folder, "utf8")).toBe("mine");
  },
);

test.each(uses)(
  "%s fails if a folder stands in place of the session's file, and keeps the folder",
  async (_, use) => {
    mkdirSync(join(folder, "s1.json"), { recursive: true });

    await expect(use(store)).rejects.toMatchObject({
      code: "damaged_file",
      details: { file: join(folder, "s1.json") },
    });
    expect(readdirSync(folder)).toEqual(["s1.json"]);
  },
);

test.runIf(process.platform === "linux")(
  "save fails with no_folder where no folder can be made",
  () => {
    // By another process: where it fails, its thread never ends.
    const code = `
    const { createFileStore } = await import(${JSON.stringify(new URL("file-store.ts", import.meta.url).href)});
    const session = { id: "s1", source_agent: "a", created_at: 0n, project: "/work", options: {} };
    const saved = createFileStore("/proc/pond").save({ session, messages: [] });
    await saved.catch((error) => console.log(error.code, error.message));
  `;
    const args = ["--conditions=@pond/source", "--input-type=module", "--eval", code];
    const ended = spawnSync(process.execPath, args, { timeout: 60_000, killSignal: "SIGKILL" });

    expect(ended.stdout.toString()).toContain("no_folder /proc/pond is not a folder");
  },
);

test("an empty path is refused as a folder", () => {
  expect(() => createFileStore("")).toThrow(TypeError);
});

test.each([
  ["a path upwards", "../../escape"],
  ["a dot", "."],
  ["two dots", ".."],
  ["an absolute path", "/etc/passwd"],
  ["text with a null byte", "a\0b"],
  ["five thousand letters", "x".repeat(5000)],
  ["a capital letter", "A"],
  ["a character outside ASCII", "織"],
])("a session whose id is %s is stored in the folder and read back", async (_, id) => {
  const { content } = recorded(id);
  await store.save(content());

  expect(readdirSync(folder)).toHaveLength(1);
  expect(readdirSync(join(folder, ".."))).toEqual(["sessions"]);
  expect(await store.listIds()).toEqual([id]);
  expect(await store.load(id)).toEqual(content());
  expect(await store.delete(id)).toBe(true);
});

test.each(["", "\ud800"])("no session is found or deleted by the id %j", async (id) => {
  await store.save(recorded("\ufffd").content());

  expect([await store.load(id), await store.delete(id)]).toEqual([undefined, false]);
  expect(await store.listIds()).toEqual(["\ufffd"]);
});

test("other users of the machine cannot read the stored sessions", async () => {
  await store.save(recorded().content());

  const modes = [folder, join(folder, "s1.json")].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

test("a session file is readable text with one message on each line", async () => {
  const { content } = recorded();
  await store.save(content());

  const lines = readFileSync(join(folder, "s1.json"), "utf8").split("\n");
  expect(lines.filter((line) => line.includes('"session_id":"s1"'))).toHaveLength(3);
  expect(lines.filter((line) => line.includes("Why?"))).toHaveLength(1);
});

test("a session is read line by line, so that none is too long to be read", async () => {
  const { content } = recorded();
  await store.save(content());
  const file = join(folder, "s1.json");

  expect(await readSession(file, 10)).toEqual(content());
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 2));
  expect(await readSession(file)).toEqual(content());
  await expect(readSession(file, 10)).rejects.toMatchObject({ code: "damaged_file" });
});

test.each<[string, (text: string) => string]>([
  ["it is cut short", (text) => text.slice(0, -4)],
  ["the end of a message is missing", (text) => text.replace("}},\n", "},\n")],
  ["a comma is missing", (text) => text.replace("},\n    ", "}\n    ")],
  ["there is one comma too many", (text) => text.replace("}\n  ]", "},\n  ]")],
  ["something follows the JSON", (text) => `${text}{}\n`],
])("a file is damaged if %s", async (_, damage) => {
  await store.save(recorded().content());
  const file = join(folder, "s1.json");
  writeFileSync(file, damage(readFileSync(file, "utf8")));

  await expect(store.load("s1")).rejects.toMatchObject({ code: "damaged_file" });
});

test("a session without messages is read back", async () => {
  const { session } = recorded().content();
  await store.save({ session, messages: [] });

  expect(await store.load("s1")).toEqual({ session, messages: [] });
});

test("a store keeps its folder when the working directory changes", async () => {
  const before = process.cwd();
  mkdirSync(folder);
  process.chdir(join(folder, ".."));
  try {
    const relative = createFileStore("sessions");
    process.chdir(folder);
    await relative.save(recorded().content());
    expect(await relative.listIds()).toEqual(["s1"]);
  } finally {
    process.chdir(before);
  }

  expect(await store.listIds()).toEqual(["s1"]);
});

test("bytes, numbers, lone surrogates and deep values are read back unchanged", async () => {
  const recorder = testRecorder();
  const deep = parseJson(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  const numbers = parseJson("[9007199254740993, 1e400, 0.1000000000000000055, 5e-324]");
  recorder.loop().say({
    role: "user",
    content: [
      { type: "file", media_type: "x/y", data: { type: "bytes", bytes: Uint8Array.of(0, 255) } },
      { type: "text", text: "\ud800 lone", options: { deep, numbers } },
    ],
  });
  const said = contentOf(recorder);
  await store.save(said);

  const read = await store.load("s1");

  const textOf = ({ session, messages }: SessionContent): string =>
    stringifyJson([sessionToWire(session), ...messages.map(messageToWire)] as JsonValue);
  // As truths, because a failure would print all of it.
  expect(read !== undefined && textOf(read) === textOf(said)).toBe(true);
  expect(textOf(said).includes("[9007199254740993,1e400,0.1000000000000000055,5e-324]")).toBe(true);
});

test("a session that another store continued is not overwritten with fewer messages", async () => {
  const { recorder, loop, content } = recorded();
  await store.save(content());
  const other = testRecorder();
  other.resume(content());
  other.attach(loop.loopId).say(user("from elsewhere"));
  await createFileStore(folder).save(contentOf(other));
  loop.say(user("from here"));

  await expect(store.save(contentOf(recorder))).rejects.toMatchObject({
    code: "conflict",
    details: { session_id: "s1", message_id: "s1.w.1#2.w" },
  });
  expect(textsOf((await store.load("s1"))?.messages ?? [])).toEqual([
    "user: Why?",
    "user: from elsewhere",
  ]);
});

test("two recorders that share a store do not overwrite each other's messages", async () => {
  const { recorder, loop, content } = recorded();
  await store.save(content());
  const other = testRecorder();
  other.resume((await store.load("s1")) ?? content());
  other.attach(loop.loopId).say(user("from the other"));
  await store.save(contentOf(other));
  loop.say(user("from here"));

  await expect(store.save(contentOf(recorder))).rejects.toMatchObject({ code: "conflict" });
  await expect(store.save(recorded().content())).rejects.toMatchObject({ code: "conflict" });
  expect(await store.load("s1")).toEqual(contentOf(other));
});

test("a session that only grew is overwritten, whichever store wrote it before", async () => {
  const { loop, content } = recorded();
  await createFileStore(folder).save(content());
  loop.end();
  await store.save(content());

  expect(await store.load("s1")).toEqual(content());
});

test.each<[string, (stored: Buffer) => string | Buffer]>([
  ["not JSON", () => "{"],
  ["not a session", () => '{"messages":[]}'],
  ["another session's", (stored) => stored.toString().replaceAll('"s1"', '"s2"')],
  [
    "not UTF-8",
    (stored) => Buffer.from(stored.toString("latin1").replace("Why", "\xff"), "latin1"),
  ],
])("the error for a file that is %s names the file", async (_, damaged) => {
  const file = join(folder, "s1.json");
  await store.save(recorded().content());
  writeFileSync(file, damaged(readFileSync(file)));

  await expect(store.load("s1")).rejects.toMatchObject({
    code: "damaged_file",
    details: { file: join(folder, "s1.json") },
  });
});

test("a damaged file is never overwritten", async () => {
  await store.save(recorded("s2").content());
  writeFileSync(join(folder, "s1.json"), "{");

  await expect(store.save(recorded("s1").content())).rejects.toMatchObject({
    code: "damaged_file",
  });
  expect(readFileSync(join(folder, "s1.json"), "utf8")).toBe("{");
});

test("a draft that a crash left is not a session and does not hinder a save", async () => {
  await store.save(recorded().content());
  writeFileSync(join(folder, "s1.json.draft"), "{".repeat(100_000));
  const ids = await store.listIds();
  await store.save(recorded().content());

  expect(ids).toEqual(["s1"]);
  expect(readdirSync(folder)).toEqual(["s1.json"]);
  expect(await store.load("s1")).toEqual(recorded().content());
});

test("a deleted session is gone, even from a draft that a crash left", async () => {
  await store.save(recorded().content());
  writeFileSync(join(folder, "s1.json.draft"), "Why?");

  expect(await store.delete("s1")).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});
