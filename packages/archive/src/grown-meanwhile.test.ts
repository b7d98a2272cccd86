import { join } from "node:path";
import type { SessionStore } from "@pond/sessions";
import { rebuildWindows } from "@pond/sessions/search";
import { expect, it, vi } from "vitest";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import type { ArchiveRedactor } from "./redaction.ts";
import {
  allRows,
  embedAll,
  ingest,
  openStore,
  saying,
  shown,
  storeOf,
  temporaryFolder,
} from "./testing.ts";

// Another process stores more of a session that waits for its turn in an export.

const secret = ["k3y", "7t2", "9x4"].join("");

const redactor: ArchiveRedactor = {
  text: (text) => text.replaceAll(secret, "[redacted]"),
  json: (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, "[redacted]")),
  counts: () => [],
};

/** Lets something happen when it is known where rows are, before any is read. */
function whenFound({ store }: SessionStore, run: () => Promise<unknown>): void {
  const refresh = store.refresh.bind(store);
  let calls = 0;
  vi.spyOn(store, "refresh").mockImplementation(async () => {
    calls += 1;
    if (calls === 2) await run();
    return refresh();
  });
}

/** A store with what was exported while another process did something. */
async function exportedWhile(
  sessions: SessionStore,
  run: (other: SessionStore) => Promise<unknown>,
  options: { readonly redactor?: ArchiveRedactor } = {},
): Promise<SessionStore> {
  const other = await openStore(sessions.store.location);
  whenFound(sessions, () => run(other));
  const { file } = await exportArchive(sessions, join(temporaryFolder(), "a.pond"), options);
  const imported = await openStore();
  await importArchive(file, imported);
  return imported;
}

const later = [
  ["grows", `a b c:${secret}`],
  ["changes", `a b:${secret}`],
] as const;

it.each(later)(
  "exports windows that match the exported messages when a session %s meanwhile",
  async (_, words) => {
    const sessions = await storeOf(saying("a b"));

    const imported = await exportedWhile(sessions, (other) => ingest(other, [saying(words)]));

    const expected = await storeOf(saying(await shown(imported)));
    const [windows] = (await allRows(imported))["windows"] ?? [];
    expect([windows]).toEqual((await allRows(expected))["windows"]);
  },
);

it("exports messages that are stored after it located the rows and before it reads any", async () => {
  const sessions = await storeOf(saying("a b"));
  const other = await openStore(sessions.store.location);
  const parts = sessions.store.table("parts");
  const scan = parts.scan.bind(parts);
  vi.spyOn(parts, "scan").mockImplementationOnce(async function* (options) {
    yield* scan(options);
    await ingest(other, [saying("a b c")]);
  });

  const { file } = await exportArchive(sessions, join(temporaryFolder(), "a.pond"));

  const imported = await openStore();
  await importArchive(file, imported);
  expect(await shown(imported)).toBe("a b c");
  expect((await allRows(imported))["windows"]).toEqual((await allRows(sessions))["windows"]);
});

it.each(later)(
  "exports no secret that is added when a session %s during a redacted export",
  async (_, words) => {
    const sessions = await storeOf(saying("a b"));
    const add = (other: SessionStore) => ingest(other, [saying(words)]);

    const imported = await exportedWhile(sessions, add, { redactor });

    expect(JSON.stringify(await allRows(imported))).not.toContain(secret);
  },
);

it.each(later)(
  "exports no secret that another process is still storing when a session %s",
  async (_, words) => {
    const sessions = await storeOf(saying("a b"));
    const other = await openStore(sessions.store.location);
    const messages = other.store.table("messages");
    const insert = messages.insert.bind(messages);
    const file = join(temporaryFolder(), "a.pond");
    // Windows are there by now, and the messages are not.
    const inserting = vi.spyOn(messages, "insert").mockImplementationOnce(async (...all) => {
      await exportArchive(sessions, file, { redactor });
      return insert(...all);
    });

    await ingest(other, [saying(words)]);

    expect(inserting).toHaveBeenCalled();
    const imported = await openStore();
    await importArchive(file, imported);
    expect(JSON.stringify(await allRows(imported))).not.toContain(secret);
    expect((await allRows(imported))["windows"]).toEqual(
      (await allRows(await storeOf(saying("a b"))))["windows"],
    );
  },
);

it("exports redacted windows of the exported messages when one changes while they are read", async () => {
  const sessions = await storeOf(saying("a b"));
  const other = await openStore(sessions.store.location);
  const messages = sessions.store.table("messages");
  const rows = messages.rows.bind(messages);
  vi.spyOn(messages, "rows").mockImplementationOnce(async (options) => {
    await ingest(other, [saying(`a:${secret} b`)]);
    return rows(options);
  });

  const { file } = await exportArchive(sessions, join(temporaryFolder(), "a.pond"), { redactor });

  const imported = await openStore();
  await importArchive(file, imported);
  expect(await shown(imported)).toBe("a b");
  expect((await allRows(imported))["windows"]).toEqual(
    (await allRows(await storeOf(saying("a b"))))["windows"],
  );
});

it("finds rows that another process moves meanwhile by embedding and folding", async () => {
  const sessions = await storeOf(saying("a b"), saying("c d", { id: "t" }));

  const imported = await exportedWhile(sessions, async (other) => {
    await embedAll(other, 384);
    await ingest(other, [saying("a b c"), saying("q", { id: "u" })]);
    for (const name of ["messages", "parts", "windows", "sessions"]) {
      await other.store.table(name).fold({ isForced: true, retentionMs: 0 });
    }
  });

  expect([await shown(imported, "t"), await shown(imported)]).toEqual(["c d", "a b c"]);
});

it.each(later)(
  "exports windows that match the exported messages when a session %s while windows are read",
  async (_, words) => {
    const sessions = await storeOf(saying("a b"), saying("x y", { id: "t" }));
    const other = await openStore(sessions.store.location);
    const windows = sessions.store.table("windows");
    const rows = windows.rows.bind(windows);
    vi.spyOn(windows, "rows").mockImplementationOnce(async (options) => {
      await ingest(other, [saying(words)]);
      return rows(options);
    });

    const { file } = await exportArchive(sessions, join(temporaryFolder(), "a.pond"));

    const imported = await openStore();
    await importArchive(file, imported);
    expect(await shown(imported)).toBe("a b");
    const expected = await storeOf(saying("a b"), saying("x y", { id: "t" }));
    expect((await allRows(imported))["windows"]).toEqual((await allRows(expected))["windows"]);
  },
);

it("exports windows that match the exported messages while another process stores more messages", async () => {
  const sessions = await storeOf(saying("a b"), saying("x y", { id: "t" }));
  const other = await openStore(sessions.store.location);
  const messages = other.store.table("messages");
  const insert = messages.insert.bind(messages);
  const file = join(temporaryFolder(), "a.pond");
  // Windows are there by now, and the messages are not.
  const inserting = vi.spyOn(messages, "insert").mockImplementationOnce(async (...all) => {
    await exportArchive(sessions, file);
    return insert(...all);
  });

  await ingest(other, [saying("a b c")]);

  expect(inserting).toHaveBeenCalled();
  const imported = await openStore();
  await importArchive(file, imported);
  const expected = await storeOf(saying("a b"), saying("x y", { id: "t" }));
  expect((await allRows(imported))["windows"]).toEqual((await allRows(expected))["windows"]);
});

it("exports windows that match the exported messages when one changes before windows are read", async () => {
  const sessions = await storeOf(saying("a b"));
  const other = await openStore(sessions.store.location);
  const messages = other.store.table("messages");
  const insert = messages.insert.bind(messages);
  const windows = sessions.store.table("windows");
  const rows = windows.rows.bind(windows);
  const begun = Promise.withResolvers<void>();
  const may = Promise.withResolvers<void>();
  vi.spyOn(messages, "insert").mockImplementationOnce(async (...all) => {
    begun.resolve();
    await may.promise;
    return insert(...all);
  });
  const changing = ingest(other, [saying("a:2 b")]);
  await begun.promise;
  vi.spyOn(windows, "rows").mockImplementationOnce(async (options) => {
    may.resolve();
    await changing;
    return rows(options);
  });

  const { file } = await exportArchive(sessions, join(temporaryFolder(), "a.pond"));

  const imported = await openStore();
  await importArchive(file, imported);
  expect(await shown(imported)).toBe("a b");
  const expected = await storeOf(saying("a b"));
  expect((await allRows(imported))["windows"]).toEqual((await allRows(expected))["windows"]);
});

it("exports windows of all messages if a sync's windows were replaced before it stored its messages", async () => {
  const sessions = await storeOf(saying("a b"));
  const [one, other] = [
    await openStore(sessions.store.location),
    await openStore(sessions.store.location),
  ];
  const messages = one.store.table("messages");
  const insert = messages.insert.bind(messages);
  const file = join(temporaryFolder(), "a.pond");
  vi.spyOn(messages, "insert").mockImplementationOnce(async (...all) => {
    await rebuildWindows(other, "s");
    const outcome = await insert(...all);
    await exportArchive(sessions, file);
    return outcome;
  });

  await ingest(one, [saying("a b c")]);

  const imported = await openStore();
  await importArchive(file, imported);
  const expected = await storeOf(saying("a b c"));
  expect((await allRows(imported))["windows"]).toEqual((await allRows(expected))["windows"]);
});
