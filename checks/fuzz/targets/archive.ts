import { deepStrictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveError, exportArchive, verifyArchive } from "@pond/archive";
import { type ReadEvent, sessionFromWire } from "@pond/canonical";
import { createIngest, openSessions } from "@pond/sessions";
import type { Random } from "../../chaos/random.ts";
import { mutateBytes } from "../mutate-files.ts";
import { mutateJson } from "../mutate-json.ts";
import type { Target } from "../target.ts";

const blockBytes = 512;
const name = "a.pond";

/** Archives that no export wrote. They are refused with a reason, or read as what was exported. */
export const archive: Target = {
  name: "archive",
  sources: /packages\/archive\/src/,
  seeds: async () => [new Map([[name, await exported()]])],
  mutate: (input, random) => new Map([[name, mutated(input.get(name) ?? Buffer.alloc(0), random)]]),
  run: async (input, scratch) => {
    const outer = join(scratch, "archive");
    const folder = join(outer, "in");
    const temporaryFolder = join(folder, "unpacked");
    mkdirSync(temporaryFolder, { recursive: true });
    const file = join(folder, name);
    writeFileSync(file, input.get(name) ?? "");
    try {
      const { rows } = await verifyArchive(file, { temporaryFolder });
      deepStrictEqual(
        { ...rows },
        { sessions: 1, messages: 2, parts: 0, windows: rows["windows"] },
      );
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
    }
    deepStrictEqual(readdirSync(temporaryFolder), [], "what was unpacked is removed");
    deepStrictEqual(readdirSync(folder).sort(), [name, "unpacked"], "nothing else is written");
    deepStrictEqual(readdirSync(outer), ["in"], "nothing is written outside");
  },
};

async function exported(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "pond-fuzz-"));
  try {
    const sessions = await openSessions(join(folder, "store"), { mode: "write" });
    const ingest = createIngest(sessions, { host: "loom", now: () => new Date(0) });
    const hooks = {
      isUnchanged: async () => true,
      onCommitted: () => undefined,
    };
    await ingest.session(events(), hooks);
    await ingest.finish();
    await exportArchive(sessions, join(folder, name));
    sessions.close();
    // If one is refused from the start, archives derived from it would prove nothing.
    await verifyArchive(join(folder, name));
    return readFileSync(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* events(): AsyncGenerator<ReadEvent> {
  const created_at = "2026-01-01T00:00:00Z";
  const session = { id: "s", source_agent: "demo", created_at, project: "/work", options: {} };
  yield { kind: "session", session: sessionFromWire(session) };
  for (const id of ["a", "b"]) {
    const message = {
      id,
      session_id: "s",
      timestamp: 0n,
      role: "system",
      content: id,
      options: {},
    };
    yield { kind: "message", message } as unknown as ReadEvent;
  }
}

type Member = { readonly header: Buffer; readonly content: Buffer };

function mutated(bytes: Buffer, random: Random): Buffer {
  if (random.isIn(0.3)) return mutateBytes(bytes, random);
  const members = membersOf(bytes);
  const at = random.below(members.length);
  const member = members[at];
  if (member === undefined) return mutateBytes(bytes, random);
  switch (random.below(6)) {
    case 0:
      members.splice(at, 1);
      break;
    case 1:
      members.splice(random.below(members.length), 0, member);
      break;
    case 2: {
      const other = random.below(members.length);
      [members[at], members[other]] = [members[other] ?? member, member];
      break;
    }
    case 3:
      members[at] = { ...member, header: oddHeader(member.header, random) };
      break;
    case 4:
      members[at] = sized({ ...member, content: mutateBytes(member.content, random) });
      break;
    default: {
      const [first] = members;
      if (first === undefined) break;
      const manifest = mutateJson(first.content.toString(), random);
      members[0] = sized({ ...first, content: Buffer.from(manifest) });
    }
  }
  const blocks = members.flatMap(({ header, content }) => [header, padded(content)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/** The members of a tar file, as far as it is valid. */
function membersOf(bytes: Buffer): Member[] {
  const found: Member[] = [];
  for (let at = 0; at + blockBytes <= bytes.length && bytes[at] !== 0; ) {
    const header = Buffer.from(bytes.subarray(at, at + blockBytes));
    const size = Number.parseInt(header.toString("latin1", 124, 135), 8);
    if (!Number.isSafeInteger(size) || size < 0) break;
    const begin = at + blockBytes;
    found.push({ header, content: bytes.subarray(begin, begin + size) });
    at = begin + Math.ceil(size / blockBytes) * blockBytes;
  }
  return found;
}

/** A place in a header, and the text for it. */
type Field = readonly [offset: number, text: string];

const fields: readonly [Field, ...Field[]] = [
  [0, "../../outside"],
  [0, "/tmp/pond-outside"],
  [0, "messages.lance/data/../../x"],
  [0, "messages.lance/data/"],
  [0, "messages.lance/_versions/1.manifest"],
  [100, "0004755\0"],
  [124, "77777777777\0"],
  [124, "00000000000\0"],
  [124, "-0000000001\0"],
  [124, "\x80\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"],
  [156, "1"],
  [156, "2"],
  [156, "5"],
  [156, "x"],
  [156, "g"],
  [156, "L"],
  [156, "S"],
  [157, "/etc/passwd"],
  [257, "ustar  \0"],
  [345, "prefix"],
];

function oddHeader(header: Buffer, random: Random): Buffer {
  const changed = Buffer.from(header);
  const [offset, text] = random.pick(fields);
  if (offset === 0) changed.fill(0, 0, 100);
  changed.write(text, offset, "latin1");
  return random.isIn(0.9) ? summed(changed) : changed;
}

function sized({ header, content }: Member): Member {
  const changed = Buffer.from(header);
  changed.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  return { header: summed(changed), content };
}

function summed(header: Buffer): Buffer {
  header.write("        ", 148, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

function padded(content: Buffer): Buffer {
  const size = Math.ceil(content.length / blockBytes) * blockBytes;
  return Buffer.concat([content, Buffer.alloc(size - content.length)]);
}
