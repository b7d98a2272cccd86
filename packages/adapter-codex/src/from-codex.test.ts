import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  contentOf,
  eventText,
  findSessions,
  readAll,
  readSource,
  withFolder,
} from "@pond/adapter-testkit";
import { Tally, turnsOf } from "@pond/canonical/foreign";
import { expect, it } from "vitest";
import { fromCodex } from "./from-codex.ts";
import { codexRecordRules } from "./record-rules.ts";
import { toCodex } from "./to-codex.ts";

const thread = "019e0000-0000-7000-8000-000000000001";
const rollout = "019e0000-0000-7000-8000-000000000002";
const name = `rollout-2026-05-04T11-00-00-${thread}.jsonl`;
const path = `sessions/2026/05/04/${name}`;

const meta = {
  timestamp: "2026-05-04T09:00:00.000Z",
  type: "session_meta",
  payload: { id: thread, timestamp: "2026-05-04T09:00:00.000Z", cwd: "/home/ada/loom" },
};

function said(text: string, extra: object = {}): object {
  return {
    timestamp: "2026-05-04T09:00:01.000Z",
    ...extra,
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  };
}

function log(...records: readonly object[]): Buffer {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

function write(folder: string, file: string, bytes: Uint8Array): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), bytes);
}

/** Every session below a path: key, and what is said in it. */
async function sessionsOf(place: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const reader = fromCodex(place);
  const { sessions, faults } = await findSessions(reader);
  expect(faults).toEqual([]);
  const entries = sessions.map(async ({ key }) => {
    const { messages } = contentOf(await readAll(reader, key));
    const texts = messages.flatMap(({ role, content }) =>
      role === "user" ? content.map((part) => (part.type === "text" ? part.text : "")) : [],
    );
    return [key, texts] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const inFolder = (run: (folder: string) => Promise<void>): Promise<void> =>
  withFolder(new Map(), run);

it.each([
  ["the home folder", ""],
  ["the sessions folder", "sessions"],
  ["the folder of a year", "sessions/2026"],
  ["the folder of a day", "sessions/2026/05/04"],
  ["the file itself", path],
])("finds the same session in %s", async (_, place) => {
  await inFolder(async (folder) => {
    write(folder, path, log(meta, said("hello")));

    expect(await sessionsOf(join(folder, place))).toEqual({ [path]: ["hello"] });
  });
});

it("takes any other folder for the sessions folder, and a file of any name for a session", async () => {
  await inFolder(async (folder) => {
    write(folder, "mine/a.jsonl", log(meta, said("hello")));
    write(folder, "mine/notes.txt", log(meta, said("notes")));

    expect([
      await sessionsOf(join(folder, "mine")),
      await sessionsOf(join(folder, "mine/notes.txt")),
    ]).toEqual([{ "sessions/a.jsonl": ["hello"] }, { "sessions/notes.txt.jsonl": ["notes"] }]);
  });
});

it("reads a compressed file like the plain file, and restores the plain file", async () => {
  await inFolder(async (folder) => {
    const bytes = log(meta, ...Array.from({ length: 5000 }, (_, index) => said(`${index}`)));
    write(folder, path, bytes);
    const plain = await readAll(fromCodex(folder), path);
    rmSync(join(folder, path));
    write(folder, `${path}.zst`, zstdCompressSync(bytes));

    const reader = fromCodex(folder);
    const { sessions } = await findSessions(reader);
    const events = await readAll(reader, path);

    expect(sessions.map(({ key }) => key)).toEqual([path]);
    expect(events.map(eventText)).toEqual(plain.map(eventText));
    const [file] = toCodex.writeNative({ root: contentOf(events), descendants: [] });
    expect([file?.path, [...(file?.content ?? [])].join("")]).toEqual([path, bytes.toString()]);
  });
});

it("reads the plain file if a compressed one stands beside it, as the client does", async () => {
  await inFolder(async (folder) => {
    write(folder, path, log(meta, said("plain")));
    write(folder, `${path}.zst`, zstdCompressSync(log(meta, said("compressed, and longer"))));

    expect(await sessionsOf(folder)).toEqual({ [path]: ["plain"] });
  });
});

it("reports a compressed file that is cut off, and keeps the records before the cut (`adapter-integrity-no-silent-drops`)", async () => {
  await inFolder(async (folder) => {
    const texts = Array.from({ length: 20_000 }, (_, index) => said(`${index} ${Math.sin(index)}`));
    const bytes = zstdCompressSync(log(meta, ...texts));
    write(folder, `${path}.zst`, bytes.subarray(0, bytes.length / 2));

    const events = await readAll(fromCodex(folder), path);

    const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault] : []));
    expect(faults.map(({ details }) => details)).toEqual([
      {
        adapter: "codex",
        uri: join(folder, `${path}.zst`),
        record: "file",
        reason: expect.stringMatching(/^cannot be read/),
      },
    ]);
    expect(events.length).toBeGreaterThan(100);
  });
});

const skippable = Buffer.from("\x50\x2a\x4d\x18\x04\x00\x00\x00abcd", "latin1");

/** One frame of records. */
const frameOf = (first: string, count: number): Buffer =>
  zstdCompressSync(
    log(
      ...Array.from({ length: count }, (_, index) => said(`${first}${index} ${Math.sin(index)}`)),
    ),
  );

it.each<[name: string, frames: readonly Buffer[]]>([
  ["two frames", [zstdCompressSync(log(meta)), frameOf("a", 2)]],
  ["a skippable frame at the start", [skippable, zstdCompressSync(log(meta)), frameOf("a", 3)]],
  [
    "skippable frames in the middle and at the end",
    [zstdCompressSync(log(meta)), skippable, skippable, frameOf("a", 3), skippable],
  ],
])(
  "reads all of a compressed file with %s (`adapter-integrity-no-silent-drops`)",
  async (_, frames) => {
    await inFolder(async (folder) => {
      write(folder, `${path}.zst`, Buffer.concat(frames));
      const read = await readAll(fromCodex(folder), path);
      rmSync(join(folder, `${path}.zst`));

      const plain = frames
        .filter((frame) => frame !== skippable)
        .map((frame) => zstdDecompressSync(frame));
      write(folder, path, Buffer.concat(plain));

      expect(read.map(eventText)).toEqual((await readAll(fromCodex(folder), path)).map(eventText));
    });
  },
);

it.each([
  ["is no frame", Buffer.from("garbage")],
  ["is too short for a frame", Buffer.from("x")],
  ["is all zeros", Buffer.alloc(100)],
  ["is a truncated frame", frameOf("a", 3).subarray(0, 20)],
])(
  "reports a compressed file whose tail %s, and keeps the records before it (`adapter-integrity-no-silent-drops`)",
  async (_, rest) => {
    await inFolder(async (folder) => {
      const frame = zstdCompressSync(log(meta, said("one")));
      write(folder, `${path}.zst`, Buffer.concat([frame, rest]));

      const events = await readAll(fromCodex(folder), path);

      const reasons = events.map((event) =>
        event.kind === "fault" ? event.fault.details.reason : event.kind,
      );
      expect(reasons).toEqual([
        "session",
        "message",
        "message",
        "part",
        expect.stringMatching(/^cannot be read/),
      ]);
    });
  },
);

it("reads the longer of two copies that an interrupted archiving left", async () => {
  await inFolder(async (folder) => {
    write(folder, path, log(meta, said("one")));
    write(folder, `archived_sessions/${name}`, log(meta, said("one"), said("two")));

    expect(await sessionsOf(folder)).toEqual({ [`archived_sessions/${name}`]: ["one", "two"] });
  });
});

it("keeps the message ids of a thread that is archived or migrated (`lance-deterministic-pk`)", async () => {
  await inFolder(async (folder) => {
    const idsAt = async (key: string): Promise<string[]> => {
      const { messages } = contentOf(await readAll(fromCodex(folder), key));
      return messages.map(({ id }) => id);
    };
    write(folder, path, log(meta, said("one"), said("one")));
    const before = await idsAt(path);

    mkdirSync(join(folder, "archived_sessions"));
    renameSync(join(folder, path), join(folder, `archived_sessions/${name}`));
    const archived = await idsAt(`archived_sessions/${name}`);
    const numbered = [meta, said("one"), said("one")].map((record, ordinal) => ({
      ...record,
      ordinal,
    }));
    write(folder, `archived_sessions/${name}`, log(...numbered));
    const migrated = await idsAt(`archived_sessions/${name}`);

    expect([archived, migrated]).toEqual([before, before]);
    expect(new Set(before).size).toBe(3);
  });
});

it("reads the files of a reverted thread as one session, and restores each (`adapter-native-restore-lossless`)", async () => {
  await inFolder(async (folder) => {
    const later = `sessions/2026/05/06/rollout-2026-05-06T08-00-00-${thread}_${rollout}.jsonl`;
    const base = { thread_id: thread, end_ordinal_exclusive: 2, end_byte_offset: 9 };
    const second = { ...meta, payload: { ...meta.payload, history_base: base } };
    const files = new Map([
      [path, log(meta, said("one"), said("reverted"))],
      [later, log(second, said("one"), said("two"))],
    ]);
    for (const [file, bytes] of files) write(folder, file, bytes);

    const { messages } = contentOf(await readAll(fromCodex(folder), path));
    const restored = toCodex.writeNative({
      root: contentOf(await readAll(fromCodex(folder), path)),
      descendants: [],
    });

    expect(await sessionsOf(folder)).toEqual({ [path]: ["one", "reverted", "one", "two"] });
    expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
    const texts = Array.from(restored, (file) => [file.path, [...file.content].join("")]);
    expect(texts).toEqual(Array.from(files, ([file, bytes]) => [file, bytes.toString()]));
  });
});

it("reads a revert's file after the file that it continues, whatever the time zone of its name", async () => {
  await inFolder(async (folder) => {
    const west = `sessions/2026/05/03/rollout-2026-05-03T22-00-00-${thread}_${rollout}.jsonl`;
    write(folder, path, log(meta, said("one"), said("reverted")));
    const { messages: before } = contentOf(await readAll(fromCodex(folder), path));
    write(folder, west, log(meta, said("two")));
    const { messages } = contentOf(await readAll(fromCodex(folder), path));

    expect(await sessionsOf(folder)).toEqual({ [path]: ["one", "reverted", "two"] });
    expect(messages.slice(0, before.length)).toEqual(before);
  });
});

it.each([
  ["a point before the goal was set", 1, "conversational"],
  ["a point after the goal was told", 3, "injected"],
])(
  "tells whether a repeated goal is the user's after a revert to %s",
  async (_, start, provenance) => {
    await inFolder(async (folder) => {
      const later = `sessions/2026/05/06/rollout-2026-05-06T08-00-00-${thread}_${rollout}.jsonl`;
      const goal = { type: "thread_goal_updated", goal: { objective: "Weave.", status: "active" } };
      const item = { type: "function_call_output", name: "goal_objective", namespace: "agent" };
      const set = { timestamp: meta.timestamp, type: "event_msg", payload: goal };
      const output = { ...set, type: "response_item", payload: { ...item, output: "Weave." } };
      const numbered = (from: number, ...records: readonly object[]) =>
        log(...records.map((record, index) => ({ ordinal: from + index, ...record })));
      write(folder, path, numbered(0, meta, set, output));
      write(folder, later, numbered(start, meta, set, output));

      const { messages } = contentOf(await readAll(fromCodex(folder), path));

      const parts = messages.flatMap((message) => (message.role === "user" ? message.content : []));
      expect(parts.map((part) => part.provenance)).toEqual(["conversational", provenance]);
    });
  },
);

it("changes the fingerprint of a thread when any of its files changes", async () => {
  await inFolder(async (folder) => {
    const later = `sessions/2026/05/04/rollout-2026-05-04T12-00-00-${thread}_${rollout}.jsonl`;
    write(folder, path, log(meta));
    write(folder, later, log(meta));
    const reader = fromCodex(folder);
    const first = await reader.fingerprint(path);

    appendFileSync(join(folder, later), log(said("more")));
    const second = await reader.fingerprint(path);
    rmSync(folder, { recursive: true });

    expect(second).not.toBe(first);
    expect(
      [await reader.fingerprint(path), await fromCodex(folder).fingerprint(path)].filter(Boolean),
    ).toEqual([]);
  });
});

it("reads all files of a thread even if a listing was left early", async () => {
  await inFolder(async (folder) => {
    const later = `sessions/2026/05/06/rollout-2026-05-06T08-00-00-${thread}_${rollout}.jsonl`;
    write(folder, path, log(meta, said("one")));
    write(folder, later, log(meta, said("two")));
    symlinkSync(join(folder, "nowhere"), join(folder, "sessions/2026/05/05"));
    symlinkSync(join(folder, "nowhere"), join(folder, dirname(path), "z.jsonl"));
    const reader = fromCodex(folder);
    const { messages } = contentOf(await readAll(fromCodex(folder), path));
    let faults = 0;
    for await (const found of reader.sessions()) {
      if (found.kind === "fault") faults += 1;
      if (faults === 2) break;
    }

    expect(contentOf(await readAll(reader, path)).messages).toEqual(messages);
    expect(messages).toHaveLength(4);
  });
});

it("reports symbolic links out of the folder, and follows none", async () => {
  await inFolder(async (folder) => {
    write(folder, "elsewhere/secret.jsonl", log(meta, said("secret")));
    mkdirSync(join(folder, "home/sessions"), { recursive: true });
    symlinkSync(join(folder, "elsewhere/secret.jsonl"), join(folder, "home/sessions/a.jsonl"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "home/sessions/2025"));
    symlinkSync(join(folder, "nowhere"), join(folder, "home/sessions/2026"));
    mkdirSync(join(folder, "home/sessions/2027"));
    symlinkSync(join(folder, "home/sessions/2027"), join(folder, "home/sessions/latest"));

    const { sessions, faults } = await findSessions(fromCodex(join(folder, "home")));

    expect(sessions).toEqual([]);
    const places = faults.map(({ details: { uri, reason } }) => [basename(uri), reason]);
    expect(places).toEqual(
      ["2025", "2026", "a.jsonl"].map((name) => [name, "a symbolic link, not followed"]),
    );
  });
});

// Root reads every file, so the test becomes a user who may not.
const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;

it.skipIf(process.platform === "win32").each([
  ["a folder", [path]],
  ["a folder with one of two copies of a session", [path, `archived_sessions/${name}`]],
])("reports %s that it may not enter, and lists every other session", async (_, files) => {
  const key = "sessions/2026/05/05/b.jsonl";
  await inFolder(async (folder) => {
    for (const file of [...files, key]) write(folder, file, log(meta, said("hello")));
    const day = dirname(join(folder, path));
    chmodSync(day, 0o644);
    chmodSync(folder, 0o755);
    becomeNobody?.(65534);
    try {
      const reader = fromCodex(folder);
      const { sessions, faults } = await findSessions(reader);

      expect(sessions.map((session) => session.key)).toEqual([key]);
      expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual([
        [join(folder, path), "cannot be read (EACCES)"],
      ]);
      expect(await reader.fingerprint(key)).toBe(sessions[0]?.fingerprint);
    } finally {
      becomeNobody?.(0);
      chmodSync(day, 0o755);
    }
  });
});

// Other systems have no such names.
it.runIf(process.platform === "linux")("reports names that are not UTF-8", async () => {
  await inFolder(async (folder) => {
    write(folder, path, log(meta, said("hi")));
    const odd = (name: string): Buffer => Buffer.from(join(folder, "sessions", name), "latin1");
    mkdirSync(odd("2026/caf\xe9"));
    writeFileSync(odd("rollout-\xe9.jsonl"), log(meta, said("lost")));

    const { sessions, faults } = await findSessions(fromCodex(folder));

    expect(sessions.map(({ key }) => key)).toEqual([path]);
    const places = faults.map(({ details: { uri, reason } }) => [basename(uri), reason]);
    expect(places).toEqual(
      ["rollout-\u{fffd}.jsonl", "caf\u{fffd}"].map((name) => [
        name,
        "a name that is not UTF-8: not stored",
      ]),
    );
  });
});

it.each([
  ["not JSON", "{", /^not a JSON document/],
  ["not a JSON object", "[]", /^not a JSON object/],
  ["not UTF-8", "\xff", /^not a JSON document/],
])("reports a document that is %s", async (_, text, reason) => {
  await inFolder(async (folder) => {
    const document = `sessions/rollout-2025-05-02-${thread}.json`;
    write(folder, document, Buffer.from(text, "latin1"));

    const events = await readAll(fromCodex(folder), document);

    const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault] : []));
    expect(faults.map(({ details }) => details.reason)).toEqual([expect.stringMatching(reason)]);
  });
});

it("reports a document that is too long, and an item that is no object", async () => {
  await inFolder(async (folder) => {
    const document = `sessions/rollout-2025-05-02-${thread}.json`;
    const session = { id: thread, timestamp: "2025-05-02T09:00:00.000Z", cwd: "/home/ada" };
    write(folder, document, log({ session, items: ["nothing", { type: "message" }] }));

    const read = async (maxLineBytes: number) =>
      (await readAll(fromCodex(folder, { maxLineBytes }), document)).map((event) =>
        event.kind === "fault" ? event.fault.details.reason : event.kind,
      );

    expect([await read(1000), await read(10)]).toEqual([
      ["session", "message", "not a JSON object", "message"],
      [expect.stringMatching(/^a document of \d+ bytes is too long/)],
    ]);
  });
});

it("reports a missing session or a missing folder as a fault", async () => {
  await inFolder(async (folder) => {
    const kinds = async (place: string) =>
      (await readAll(fromCodex(place), "sessions/none.jsonl")).map(({ kind }) => kind);
    const { faults } = await findSessions(fromCodex(join(folder, "nowhere")));

    expect([await kinds(folder), await kinds(join(folder, "nowhere"))]).toEqual([
      ["fault"],
      ["fault"],
    ]);
    expect(faults.map(({ details }) => details.reason)).toEqual(["cannot be read (ENOENT)"]);
  });
});

it("names the session of a run whose printed output it refuses", async () => {
  const name = "run.jsonl";
  const rows = [{ type: "thread.started", thread_id: "t1" }, { type: "turn.started" }];
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  await withFolder(new Map([[name, Buffer.from(text)]]), async (folder) => {
    const reader = fromCodex(join(folder, name));
    const { sessions } = await findSessions(reader);

    const events = await readAll(reader, sessions[0]?.key ?? "");

    expect(events.map((event) => event.kind === "fault" && event.fault.details.reason)).toEqual([
      "output of `codex exec --json`, not a session file: not ingested; the session itself is the file below sessions/ named for t1, where it was kept",
    ]);
  });
});

it("hands the live turns of reverted threads to another client and counts the rest as dropped", async () => {
  const fixture = fileURLToPath(new URL("../../../fixtures/codex/reverted/input", import.meta.url));
  const found = [...(await readSource(fromCodex(fixture))).values()].map((events) => {
    const tally = new Tally();
    const turns = turnsOf(contentOf(events), { recordRulesOf: () => codexRecordRules }, tally);
    const texts = turns.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    );
    return [texts, tally.fidelity()["text"]?.dropped];
  });

  expect(found).toEqual([
    [["Begin anew, with silk.", "Silk it is."], 6],
    [["Weave it green.", "Green it is.", "With a white border.", "White it is."], 2],
  ]);
});

it.each([
  { minutes: 1, expected: { kind: "pending" } },
  { minutes: 61, expected: { kind: "fault", isLeftover: true } },
])(
  "takes a torn last line of $minutes minutes ago as $expected.kind",
  async ({ minutes, expected }) => {
    const files = new Map([[path, Buffer.concat([log(meta, said("a")), Buffer.from('{"type":')])]]);
    await withFolder(files, async (folder) => {
      const written = new Date(Date.now() - minutes * 60_000);
      utimesSync(join(folder, path), written, written);

      const events = await readAll(fromCodex(folder), path);

      expect(events.some(({ kind }) => kind === "message")).toBe(true);
      expect(events.filter(({ kind }) => kind === "pending" || kind === "fault")).toMatchObject([
        expected,
      ]);
    });
  },
);
