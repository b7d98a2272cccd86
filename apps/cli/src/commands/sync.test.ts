import { existsSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { stages } from "@pond/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixtures, Home, line } from "../testing.ts";
import { stageNames } from "./sync.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const counts = { seen: 0, new: 0, grown: 0, unchanged: 0, pending: 0, failed: 0 };

describe("pond sync", () => {
  it("offers exactly the stages that @pond/sync has", () => {
    expect(stageNames).toEqual(stages);
  });

  it("stores everything even if its state folder cannot be written", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    home.write(".local/state", "no folder");

    const first = await home.pond("sync");
    const { code, stdout, stderr } = await home.pond("sync", "--json");

    const warning = "warning: ~/.local/state/pond/";
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("indexes updated")]);
    expect(first.stderr).toContain(warning);
    expect(first.stderr).toContain(": the next sync reads all of this again: Error (E");
    expect([code, JSON.parse(stdout).adapters[0].sessions.unchanged]).toEqual([0, 1]);
    expect(stderr).toContain(warning);
  });

  it("prints exactly the JSON that scripts rely on (design section 7)", async () => {
    const file = home.writeSession("s1", line("s1", "a", "one"), "{ broken");

    const { code, stdout } = await home.pond("sync", "claude-code", "--json");

    const { duration_ms, indexes, ...report } = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(report).toEqual({
      adapters: [
        {
          name: "claude-code",
          sessions: { ...counts, seen: 1, new: 1 },
          messages_added: 1,
          parts_added: 1,
          revisions: 0,
          tombstones: 0,
          mended: 0,
          deferred: 0,
          rejected: 0,
          bytes_read: expect.any(Number),
          accounting: {
            read: 2,
            stored: 1,
            carried: 0,
            faulted: 1,
            pending: 0,
            sessions_uncounted: 0,
          },
          faults: [
            {
              adapter: "claude-code",
              location: `${file}:2`,
              code: "source_fault",
              message: expect.stringContaining("not JSON"),
            },
          ],
          faults_omitted: 0,
          leftovers: 0,
        },
      ],
      embedded: 0,
    });
    expect([typeof duration_ms, indexes.length]).toEqual(["number", 4]);
  });

  it.each([[["sync"]], [["sync", "--verify"]]])(
    "stores again with %j the parts of a known message that the store has lost",
    async (again) => {
      home.writeSession("s1", line("s1", "a", "one"));
      await home.pond("sync");
      const versions = join(home.folder, ".local/share/pond/default/parts.lance/_versions");
      const before = new Set(readdirSync(versions));
      home.writeSession("s1", line("s1", "a", "one"), line("s1", "b", "herons"));
      await home.pond("sync", "--skip", "update-indexes");
      // A disk, or a backup of one table, went back to what it was.
      for (const name of readdirSync(versions)) if (!before.has(name)) rmSync(join(versions, name));
      expect((await home.pond("get", "s1")).stdout).not.toContain("herons");
      expect(await home.pond("status", "--verify")).toMatchObject({ code: 3 });

      const { code, stdout } = await home.pond(...again);

      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining("1 session: 1 grown, 1 mended\n"),
      ]);
      expect((await home.pond("get", "s1")).stdout).toContain("herons");
      expect(await home.pond("status", "--verify")).toMatchObject({ code: 0 });
      expect((await home.pond("sync", "--verify")).stdout).toContain("nothing new");
    },
  );

  it("accounts for every record with -v", async () => {
    home.writeSession("s1", line("s1", "a", "one"), '{"type":"summary"}', "{ broken");

    const { stdout } = await home.pond("sync", "-v");
    const { stdout: again } = await home.pond("sync", "-v");

    const sum = "3 records read = 2 stored (1 of them carried whole) + 1 faulted + 0 pending";
    expect(stdout).toContain(sum);
    expect(again).toContain("0 records read = 0 stored + 0 faulted + 0 pending");
  });

  it("says in two lines what it did, or that there was nothing new", async () => {
    home.writeSession("s1", line("s1", "a", "one"), line("s1", "b", "two"));

    const first = await home.pond("sync");
    const second = await home.pond("sync");

    expect(first).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^claude-code {2}1 session: 1 new, \+2 messages\nStored in ~\/\.local\/share\/pond\/default \(.*\)\.\n$/,
      ),
      stderr: "",
    });
    expect(second).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^claude-code {2}1 session, nothing new\nStored in .*\n$/),
      stderr: "",
    });
  });

  it("says how many more faults -v lists, and how many are only counted", async () => {
    const broken = (count: number): string[] => new Array<string>(count).fill("{ broken");
    home.writeSession("s1", line("s1", "a", "one"), ...broken(20));
    const some = await home.pond("sync");
    home.writeSession("s2", line("s2", "b", "two"), ...broken(130));
    const many = await home.pond("sync");
    const all = await home.pond("sync", "-v");

    const ends = [some, many, all].map(({ stderr }) => stderr.split("\n").at(-2)?.trim());
    expect(ends).toEqual([
      "and 10 more: -v lists them, --json too",
      "and 140 more: -v lists 110 of them, --json too",
      "and 30 more, which are only counted",
    ]);
  });

  it("lists a fault of each file before a second one of any, in the order they have", async () => {
    const broken = new Array<string>(20).fill("{ broken");
    const many = home.writeSession("s1", line("s1", "a", "one"), ...broken);
    const few = home.writeSession("s2", line("s2", "b", "two"), "{ broken");

    const { stderr } = await home.pond("sync");

    const listed = stderr.split("\n").filter((each) => each.startsWith("  ~"));
    const lineOf = (file: string, number: number): string =>
      `  ${file.replace(home.folder, "~")}:${number}`;
    expect(listed.map((each) => each.split("  not JSON")[0])).toEqual([
      ...Array.from({ length: 9 }, (_, at) => lineOf(many, at + 2)),
      lineOf(few, 2),
    ]);
    expect(stderr).toContain("and 11 more");
  });

  it("lists faults with place and reason on every run, and exits with 3", async () => {
    const file = home.writeSession("s1", line("s1", "a", "one"), "\x1b]0;owned\x07");
    const location = file.replace(home.folder, "~");

    const first = await home.pond("sync");
    const second = await home.pond("sync", "-q");

    for (const { code, stderr } of [first, second]) {
      expect(code).toBe(3);
      expect(stderr).toContain("warning: 1 record could not be read");
      expect(stderr).toContain(`  ${location}:2  not JSON`);
    }
    expect(second.stdout).toBe("");
  });

  it("reports records that share a line in a note, not as unread, for each is kept", async () => {
    const shared = line("s1", "b", "two") + line("s1", "c", "three");
    home.writeSession("s1", line("s1", "a", "one"), shared);

    const first = await home.pond("sync");
    home.writeSession("s1", line("s1", "a", "one"), shared, "no record");
    const second = await home.pond("sync");

    expect([first.code, second.code]).toEqual([0, 3]);
    expect(first.stdout).toContain("+3 messages");
    expect(first.stderr).toMatch(
      /^warning: 1 note; nothing needs doing about it:\n.*s1\.jsonl:2 {2}2 records on one line: each is kept.*\n$/,
    );
    expect(second.stderr).toMatch(
      /^warning: 1 record could not be read; .*:\n.*s1\.jsonl:3 {2}not JSON.*\nwarning: 1 note; .*:\n.*s1\.jsonl:2 .*\n$/,
    );
  });

  it("exits with 0 when a record is merely still being written", async () => {
    home.write(".claude/projects/-work/s1.jsonl", `${line("s1", "a", "one")}\n{"type":"us`);

    const { code, stdout } = await home.pond("sync");

    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      "claude-code  1 session: 1 new, +1 message, 1 still being written",
    ]);
  });

  it("only says what it would read in a dry run, and creates no store", async () => {
    home.writeSession("s1", line("s1", "a", "one"));

    const { code, stdout } = await home.pond("sync", "--dry-run");

    expect([code, stdout]).toEqual([
      0,
      "claude-code  1 session: 1 new\nNothing was read or stored. The store is ~/.local/share/pond/default.\n",
    ]);
    expect(existsSync(join(home.folder, ".local/share/pond/default/sessions.lance"))).toBe(false);
  });

  it("compares the sources with the last sync in a dry run", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    await home.pond("sync");
    home.writeSession("s1", line("s1", "a", "one"), line("s1", "b", "two"));

    const { stdout } = await home.pond("sync", "--dry-run", "--json");

    expect(JSON.parse(stdout).adapters[0].sessions).toEqual({ ...counts, seen: 1, grown: 1 });
  });

  it("reads a copy of a home with --path", async () => {
    const samples = join(fixtures, "samples", "claude-code");

    const { code, stdout } = await home.pond("sync", "claude-code", "--path", samples, "--json");

    const [report] = JSON.parse(stdout).adapters;
    expect([code, report.sessions.new, report.faults]).toEqual([0, report.sessions.seen, []]);
    expect(report.sessions.seen).toBeGreaterThan(3);
  });

  it("says what to do when no client is found", async () => {
    const { code, stdout } = await home.pond("sync");

    expect([code, stdout]).toEqual([0, expect.stringContaining("pond sync CLIENT --path DIR")]);
  });

  it("says which of the named clients have nothing here, and mentions no others", async () => {
    home.writeSession("s1", line("s1", "a", "one"));

    const { stdout } = await home.pond("sync", "claude-code", "codex", "phi-core");

    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "Nothing of codex is here: pond looked for ~/.codex. `pond sync codex --path DIR` reads a copy.",
    );
    expect(text).toContain("phi-core has no folder of its own");
    expect(text).not.toContain("Nothing of claude-code");
    expect((await home.pond("sync")).stdout).not.toMatch(/Nothing of|no folder of its own/);
  });

  it("tunes its memory for a lot of work: a first sync, a file that grew a lot, a fold", async () => {
    const file = home.writeSession("s1", line("s1", "a", "one"));
    const started: string[] = [];
    const tuneMemory = async (work: string): Promise<void> => void started.push(work);
    const syncs: number[] = [];
    const sync = async (...flags: readonly string[]): Promise<void> => {
      await home.pondWith({ tuneMemory }, "sync", ...flags);
      syncs.push(started.length);
    };

    await sync();
    home.writeSession("s2", line("s2", "a", "two"));
    await sync();
    truncateSync(file, 65 * 1024 * 1024);
    await sync();
    await sync("--only", "update-indexes");

    expect(syncs).toEqual([1, 1, 2, 3]);
    expect(new Set(started)).toEqual(new Set(["batches"]));
  });

  it("tunes its memory before it opens a bucket on a machine that has never synced", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    home.write(
      ".config/pond/config.toml",
      'storage = "s3://bucket/store"\n[storage_options]\naws_endpoint = "none"\n',
    );
    const tuneMemory = (): Promise<void> => Promise.reject(new Error("it starts anew"));

    const first = await home.pondWith({ tuneMemory }, "sync");
    home.write(".local/state/pond/last", "");
    const later = await home.pondWith({ tuneMemory }, "sync");

    expect(first.stderr).toContain("it starts anew");
    expect(later.stderr).toContain("aws_endpoint");
  });

  it("runs one stage with --only, or all but one with --skip", async () => {
    home.writeSession("s1", line("s1", "a", "one"));

    const only = await home.pond("sync", "--only", "import", "--json");
    const skip = await home.pond("sync", "--skip", "import", "--json");

    expect(JSON.parse(only.stdout).indexes).toEqual([]);
    expect(JSON.parse(skip.stdout)).toMatchObject({ adapters: [], indexes: { length: 4 } });
  });

  it.each([
    [["sync", "nope"], 2, 'no adapter is called "nope"'],
    [["sync", "claude-code", "--path", "/nowhere"], 1, "/nowhere: nothing is there"],
    [["sync", "claude-code", "--path", ""], 2, "option '--path <dir>' argument '' is invalid"],
    [["sync", "--path", "."], 2, "name the client that wrote it: pond sync claude-code --path ."],
    [["sync", "--only", "import", "--skip", "embed"], 2, "--only and --skip"],
    [["sync", "--only", "indexes"], 2, "Allowed choices are import, embed, update-indexes"],
  ])("refuses %j with exit code %i", async (argv, expected, message) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
  });
});
