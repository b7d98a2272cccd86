import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSessions } from "@pond/sessions";
import type { Row } from "@pond/substrate";
import { type Header as FullHeader, pack } from "tar-stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import { blockBytes, encodeHeader, endBytes, paddingOf } from "./tar-header.ts";
import { demoSessions, filesBelow, ingest, storeOf, temporaryFolder } from "./testing.ts";
import { WholeRows } from "./whole-rows.ts";

type Member = { readonly path: string; readonly bytes: Buffer };
type Header = Partial<FullHeader> & { readonly name: string };
type Json = Record<string, unknown>;
type Manifest = Json & { readonly tables: Json[]; readonly files: Json[] };

let folder: string;
let archive: Buffer;
let members: readonly Member[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pond-archive-test-"));
  const sessions = await openSessions(join(folder, "store"), { mode: "write" });
  await ingest(sessions, demoSessions(2));
  await exportArchive(sessions, join(folder, "a.pond"));
  sessions.close();
  archive = readFileSync(join(folder, "a.pond"));
  members = membersOf(archive);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function membersOf(bytes: Buffer): Member[] {
  const found: Member[] = [];
  for (let offset = 0; bytes[offset] !== 0; ) {
    const [path = ""] = bytes.toString("latin1", offset, offset + 100).split("\0");
    const size = Number.parseInt(bytes.toString("latin1", offset + 124, offset + 135), 8);
    const begin = offset + blockBytes;
    found.push({ path, bytes: bytes.subarray(begin, begin + size) });
    offset = begin + size + paddingOf(size);
  }
  return found;
}

/** An archive as pond writes it, of other members. */
function written(others: readonly Member[]): Buffer {
  const blocks = others.flatMap(({ path, bytes }) => [
    encodeHeader({ path, size: bytes.length }),
    bytes,
    Buffer.alloc(paddingOf(bytes.length)),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(endBytes)]);
}

/** The archive with another manifest. */
function withManifest(change: (manifest: Manifest) => unknown): Buffer {
  const [first, ...rest] = members;
  const manifest: Manifest = JSON.parse(String(first?.bytes));
  return written([manifestMember(change(manifest) ?? manifest), ...rest]);
}

function manifestMember(manifest: unknown): Member {
  const text = typeof manifest === "string" ? manifest : JSON.stringify(manifest);
  return { path: "manifest.json", bytes: Buffer.from(text) };
}

/** The archive with members changed, and a manifest that says so. */
function withMembers(change: (rest: readonly Member[]) => readonly Member[]): Buffer {
  const [first, ...rest] = members;
  const changed = change(rest);
  const files = changed.map(({ path, bytes }) => {
    return { path, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  });
  return written([manifestMember({ ...JSON.parse(String(first?.bytes)), files }), ...changed]);
}

/** What another program puts in front of the end of the archive. */
async function withEntry(header: Header): Promise<Buffer> {
  const stream = pack();
  stream.entry(header, Buffer.alloc(header.size ?? 0));
  stream.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat([archive.subarray(0, archive.length - endBytes), ...chunks]);
}

function replaced(path: RegExp, bytes: (before: Buffer) => Buffer) {
  return (rest: readonly Member[]): Member[] =>
    rest.map((each) => (path.test(each.path) ? { ...each, bytes: bytes(each.bytes) } : each));
}

/** A Lance manifest that names another folder, as that of a shallow clone does. */
function withBasePath(manifest: Buffer): Buffer {
  const footer = manifest.subarray(-16);
  const begin = Number(footer.readBigUInt64LE(0));
  const message = manifest.subarray(begin + 4, -16);
  const path = "/var/lib/other";
  const base = Buffer.from([0x22, path.length, ...Buffer.from(path)]);
  const field = Buffer.from([(18 << 3) | 2 | 0x80, 1, base.length, ...base]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(message.length + field.length);
  return Buffer.concat([manifest.subarray(0, begin), length, message, field, footer]);
}

/** One byte of the archive, changed. */
function flipped(at: number): Buffer {
  const bytes = Buffer.from(archive);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  return bytes;
}

type Case = readonly [what: string, code: string, make: () => Buffer | Promise<Buffer>];

const type = (kind: FullHeader["type"]): Header => ({
  ...{
    name: "messages.lance/data/x.lance",
    type: kind,
    linkname: "/etc/passwd",
    mtime: new Date(0),
  },
});
const named = (name: string): Header => ({ name, type: "file", size: 3, mtime: new Date(0) });

const cases: readonly Case[] = [
  ["is empty", "archive_damaged", () => Buffer.alloc(0)],
  ["is not a tar file", "archive_damaged", () => Buffer.from("PK".repeat(4096))],
  ["has nothing but the end marker", "archive_damaged", () => Buffer.alloc(endBytes)],
  ["holds a symbolic link", "archive_hostile", () => withEntry(type("symlink"))],
  ["holds a hard link", "archive_hostile", () => withEntry(type("link"))],
  ["holds a character device", "archive_hostile", () => withEntry(type("character-device"))],
  ["holds a block device", "archive_hostile", () => withEntry(type("block-device"))],
  ["holds a named pipe", "archive_hostile", () => withEntry(type("fifo"))],
  ["holds a folder", "archive_hostile", () => withEntry(type("directory"))],
  [
    "has a path that leads upwards",
    "archive_hostile",
    () => withEntry(named("messages.lance/data/../../../x")),
  ],
  ["has an absolute path", "archive_hostile", () => withEntry(named("/etc/cron.d/x"))],
  ["has a path with a drive", "archive_hostile", () => withEntry(named("C:\\x"))],
  ["has a path in an extended header", "archive_hostile", () => withEntry(named("é".repeat(80)))],
  ["has a hidden file", "archive_hostile", () => withEntry(named("messages.lance/data/.x"))],
  [
    "has a header with an owner",
    "archive_hostile",
    () => withEntry({ ...named("messages.lance/data/x.lance"), uid: 1000 }),
  ],
  [
    "has an unlisted member outside the tables",
    "archive_hostile",
    () => withEntry({ ...named("x"), mode: 0o644 }),
  ],
  [
    "has an unlisted member in a table",
    "archive_hostile",
    () => written([...members, { path: "messages.lance/data/x.lance", bytes: Buffer.alloc(3) }]),
  ],
  [
    "lists a member that belongs to no table",
    "archive_hostile",
    () => withMembers((rest) => [...rest, { path: "run.sh", bytes: Buffer.from("rm -rf ~") }]),
  ],
  ["has a member twice", "archive_hostile", () => written([...members, ...members.slice(-1)])],
  ["lacks a member", "archive_damaged", () => written(members.slice(0, -1))],
  [
    "has its members in another order",
    "archive_hostile",
    () => {
      const [first, ...rest] = members;
      return written([...(first ? [first] : []), ...rest.toReversed()]);
    },
  ],
  ["lacks the manifest", "archive_damaged", () => written(members.slice(1))],
  [
    "has the manifest last",
    "archive_damaged",
    () => {
      const [first, ...rest] = members;
      return written([...rest, ...(first ? [first] : [])]);
    },
  ],
  [
    "has thousands of members",
    "archive_hostile",
    () => {
      const many = Array.from({ length: 10_001 }, (_, at) => ({
        path: `x${at}`,
        bytes: Buffer.alloc(0),
      }));
      return written([...members.slice(0, 1), ...many]);
    },
  ],
  [
    "has a member of 4 TiB",
    "archive_damaged",
    () => {
      const header = encodeHeader({ path: "messages.lance/data/x.lance", size: 2 ** 42 });
      return Buffer.concat([archive.subarray(0, archive.length - endBytes), header]);
    },
  ],
  [
    "has a huge manifest",
    "archive_hostile",
    () => written([{ path: "manifest.json", bytes: Buffer.alloc(5_000_000, " ") }]),
  ],
  ["has bytes after its end", "archive_damaged", () => Buffer.concat([archive, Buffer.from("x")])],
  [
    "has a second archive after its end",
    "archive_damaged",
    () => Buffer.concat([archive, archive]),
  ],
  [
    "has non-zero padding between two members",
    "archive_damaged",
    () => {
      const size = members[0]?.bytes.length ?? 0;
      return flipped(blockBytes + size + paddingOf(size) - 1);
    },
  ],
  ["has a manifest that is not JSON", "archive_damaged", () => withManifest(() => "{")],
  [
    "has a manifest that is not UTF-8",
    "archive_damaged",
    () => written([{ path: "manifest.json", bytes: Buffer.from([0x7b, 0xff, 0x7d]) }]),
  ],
  [
    "has a deeply nested manifest",
    "archive_damaged",
    () => withManifest(() => "[".repeat(1_000_000)),
  ],
  ["has a manifest that is a list", "archive_damaged", () => withManifest(() => [])],
  [
    "has a manifest of another format",
    "archive_damaged",
    () => withManifest((manifest) => ({ ...manifest, format: "zip" })),
  ],
  [
    "has an additional __proto__ key in its manifest",
    "archive_damaged",
    () =>
      withManifest((manifest) =>
        JSON.stringify(manifest).replace("{", '{"__proto__":{"files":[]},'),
      ),
  ],
  [
    "has a manifest key only in __proto__",
    "archive_damaged",
    () =>
      withManifest(({ files: _, ...manifest }) =>
        JSON.stringify(manifest).replace("{", '{"__proto__":{"files":[]},'),
      ),
  ],
  [
    "has a manifest with an unknown key",
    "archive_damaged",
    () => withManifest((manifest) => ({ ...manifest, run: "x" })),
  ],
  [
    "has a fractional row count",
    "archive_damaged",
    () => withManifest(({ tables }) => void Object.assign(tables[0] ?? {}, { rows: 0.5 })),
  ],
  [
    "has a wrong row count",
    "archive_damaged",
    () => withManifest(({ tables }) => void Object.assign(tables[1] ?? {}, { rows: 7 })),
  ],
  [
    "has larger rows than its manifest says",
    "archive_hostile",
    () => withManifest(({ tables }) => void Object.assign(tables[1] ?? {}, { bytes: 10 })),
  ],
  [
    "has a wrong digest of its rows",
    "archive_damaged",
    () =>
      withManifest(({ tables }) => void Object.assign(tables[2] ?? {}, { digest: "0".repeat(64) })),
  ],
  [
    "has a wrong checksum",
    "archive_damaged",
    () =>
      withManifest(({ files }) => void Object.assign(files[3] ?? {}, { sha256: "0".repeat(64) })),
  ],
  [
    "has an invalid checksum",
    "archive_damaged",
    () => withManifest(({ files }) => void Object.assign(files[3] ?? {}, { sha256: "x" })),
  ],
  [
    "has a wrong member size in its manifest",
    "archive_damaged",
    () => withManifest(({ files }) => void Object.assign(files[3] ?? {}, { size: 1 })),
  ],
  [
    "lacks a table in its manifest",
    "archive_damaged",
    () => withManifest(({ tables }) => void tables.pop()),
  ],
  [
    "has a newer format",
    "archive_newer",
    () => withManifest((manifest) => ({ ...manifest, version: 2, what: "else" })),
  ],
  [
    "has a newer schema",
    "archive_newer",
    () =>
      withManifest(
        ({ tables }) => void Object.assign(tables[1] ?? {}, { schema_version: 99, key: 1 }),
      ),
  ],
  [
    "refers to data outside itself",
    "archive_hostile",
    () => withMembers(replaced(/messages.*\.manifest$/, withBasePath)),
  ],
  [
    "has invalid dataset manifests",
    "archive_damaged",
    () => withMembers(replaced(/\.manifest$/, () => Buffer.from("no manifest"))),
  ],
  [
    "has invalid data files",
    "archive_damaged",
    () => withMembers(replaced(/messages.*\/data\//, (bytes) => Buffer.alloc(bytes.length, 1))),
  ],
];

describe("importArchive", () => {
  it("accepts an archive as it was exported, so that the refusals below prove something", async () => {
    const file = join(temporaryFolder(), "a.pond");
    writeFileSync(file, written(members));

    const { tables } = await importArchive(file, await storeOf());

    expect([written(members).equals(archive), tables["messages"]?.inserted]).toEqual([true, 6]);
  });

  it.each(cases)("refuses an archive that %s as %s, and writes nothing", async (_, code, make) => {
    expect(await refusal(await make())).toMatchObject({ code });
  });

  it("refuses an archive that is cut off anywhere", async () => {
    const lengths = [
      1,
      511,
      512,
      513,
      archive.length - 1,
      archive.length - 512,
      archive.length - 1024,
    ];
    for (let length = 2_000; length < archive.length; length += 9_973) lengths.push(length);
    for (const length of lengths) {
      expect(await refusal(archive.subarray(0, length))).toMatchObject({ code: "archive_damaged" });
    }
  });

  it("tells another kind of file from a cut-off archive, however small it is", async () => {
    const cutOff = { details: { reason: "it is cut off" } };
    const other = { details: { reason: "it is not a .pond archive", problem: "no_archive" } };

    expect(await refusal(Buffer.from('{"sessions":[]}'))).toMatchObject(other);
    expect(await refusal(Buffer.from("m"))).toMatchObject(cutOff);
    expect(await refusal(archive.subarray(0, 500))).toMatchObject(cutOff);
    expect(await refusal(Buffer.alloc(0))).toMatchObject(cutOff);
    expect(await refusal(Buffer.alloc(2_000, "x"))).toMatchObject(other);
  });

  it("refuses an archive with any one byte changed", async () => {
    for (let at = 3; at < archive.length; at += 7_919) {
      const code = expect.stringMatching(/^archive_(damaged|hostile)$/);
      expect([at, await refusal(flipped(at))]).toEqual([at, expect.objectContaining({ code })]);
    }
  });

  it("reports which member is wrong, and at which offset", async () => {
    const file = withManifest(
      ({ files }) => void Object.assign(files[0] ?? {}, { sha256: "0".repeat(64) }),
    );

    const member = members[1]?.path;
    const offset = file.indexOf(`${member}\0`) + blockBytes;
    expect(await refusal(file)).toMatchObject({
      details: { member, offset, reason: "its checksum is wrong" },
    });
  });

  it.each([
    ["sessions", "options", "{"],
    ["sessions", "id", ""],
    ["messages", "role", "wizard"],
    ["messages", "is_searchable", 1n],
    ["parts", "provenance", "dreamt"],
    ["parts", "variant_data", "[]"],
    ["windows", "message_ids", "{}"],
  ])(
    "refuses an archive with a row of %s that is invalid in column %s, and writes nothing",
    async (name, column, cell) => {
      const sessions = await storeOf(...demoSessions(1));
      const table = sessions.store.table(name);
      const columns = Object.keys(table.declaration.columns);
      const [row] = await table.rows({ columns, limit: 1 });
      const other: Row = {
        ...row,
        id: "other",
        search_text: null,
        is_searchable: 0n,
        [column]: cell,
      };
      await table.insert(Object.fromEntries(columns.map((each) => [each, [other[each] ?? null]])));
      // An export would leave it out.
      vi.spyOn(WholeRows.prototype, "of").mockImplementation((_name, rows) => rows);
      onTestFinished(() => void vi.restoreAllMocks());
      await exportArchive(sessions, join(folder, "b.pond"), { isForced: true });

      const code = expect.stringMatching(/^archive_(hostile|damaged)$/);
      expect(await refusal(readFileSync(join(folder, "b.pond")))).toMatchObject({ code });
    },
  );

  it("refuses a folder as damaged", async () => {
    const imported = importArchive(temporaryFolder(), await storeOf());

    await expect(imported).rejects.toMatchObject({ code: "archive_damaged" });
  });

  it("reports a missing file as not found", async () => {
    const file = join(temporaryFolder(), "none.pond");

    const imported = importArchive(file, await storeOf());

    await expect(imported).rejects.toMatchObject({ code: "archive_not_found", details: { file } });
  });
});

/** What an import says; that it wrote nothing, into the store or beside it, is proven here. */
async function refusal(bytes: Buffer): Promise<unknown> {
  const home = temporaryFolder();
  const file = join(home, "a.pond");
  writeFileSync(file, bytes);
  const location = join(home, "store");
  const open = () => openSessions(location, { mode: "write" });
  const refused = importArchive(file, open, { temporaryFolder: home });
  const error = await refused.catch((each: unknown) => each);
  expect(filesBelow(home)).toEqual(["a.pond"]);
  return error;
}
