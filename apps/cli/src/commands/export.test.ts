import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

let home: Home;
let file: string;
beforeEach(() => {
  home = new Home();
  file = join(home.folder, "a.pond");
});
afterEach(() => home.remove());

const storage = (name: string) => ["--storage", join(home.folder, name)];
const added = (inserted: number, present: number) => ({ inserted, present });

async function syncTwo(): Promise<void> {
  home.writeSession("s1", line("s1", "a", "one"), line("s1", "b", "two"));
  home.writeSession("s2", line("s2", "c", "three"));
  expect((await home.pond("sync", "-q")).code).toBe(0);
}

/** Changes a bit, so that the options of a stored message are no JSON. */
function damageMessages(): void {
  const data = join(home.folder, ".local/share/pond/default/messages.lance/data");
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name));
    const at = bytes.indexOf('{"source"');
    if (at < 0) continue;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 8, at);
    writeFileSync(join(data, name), bytes);
  }
}

describe("pond export", () => {
  it("writes one file and says what it contains", async () => {
    await syncTwo();

    const { code, stdout, stderr } = await home.pond("export", "-o", file);

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^2 sessions, 3 messages in ~\/a\.pond \(\d+(\.\d)? kB\)\.\n$/);
  });

  it("prints exactly the JSON that scripts rely on", async () => {
    await syncTwo();

    const { stdout } = await home.pond("export", "--output", file, "--json");

    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(JSON.parse(stdout)).toEqual({
      file,
      bytes: readFileSync(file).length,
      rows: { sessions: 2, messages: 3, parts: 3, windows: 2 },
      digests: { sessions: digest, messages: digest, parts: digest, windows: digest },
      damaged: [],
    });
  });

  it("leaves out damaged rows, names their session and exits with 3", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    await home.pond("sync", "-q");
    damageMessages();

    const plain = await home.pond("export", "-o", file);
    const json = await home.pond("export", "--force", "-o", file, "--json");
    const imported = await home.pond(...storage("other"), "import", file);

    expect([plain.code, json.code, JSON.parse(json.stdout).damaged]).toEqual([3, 3, ["s1"]]);
    expect(plain.stderr).toContain(
      "1 session with damaged or lost rows, which were left out or exported as they are stored: s1.",
    );
    expect([imported.code, imported.stdout]).toEqual([
      0,
      "1 new session, 0 new messages; 0 there already.\n",
    ]);
  });

  it("replaces a file only with --force", async () => {
    await syncTwo();
    writeFileSync(file, "mine");

    const refused = await home.pond("export", "-o", file, "--json");
    expect(readFileSync(file, "utf8")).toBe("mine");
    const forced = await home.pond("export", "-o", file, "--force");

    expect(JSON.parse(refused.stdout).error.details).toEqual({ path: file, kind: "target_exists" });
    expect([refused.code, forced.code]).toEqual([1, 0]);
  });

  it.each([
    ["there is no store", async () => undefined, 1, /there is no store here/],
    [
      "no session is stored",
      () => home.pond("sync"),
      1,
      /no session is stored, so there is nothing to export/,
    ],
  ])(
    "finds nothing to export when %s, and points to pond sync",
    async (_, prepare, code, message) => {
      await prepare();

      const finished = await home.pond("export", "-o", file);

      expect([finished.code, existsSync(file)]).toEqual([code, false]);
      expect(finished.stderr).toMatch(message);
      expect(finished.stderr).toContain("pond sync");
    },
  );

  it.each([
    ["a folder", "", / is not a file: name one/],
    [
      "a path that ends in a slash",
      "new/",
      /new\/ names a folder: name a file in it, such as .+new\/FILE\.pond/,
    ],
    ["a device", "/dev/null", /\/dev\/null is not a file/],
    [
      "a file in a folder that does not exist",
      "nowhere/a.pond",
      /nowhere is not a folder: create it first/,
    ],
    ["a path with a line break", "a\nb.pond", /a\nb\.pond: the path holds a control character/],
  ])("refuses to write to %s, with --force or without", async (_, place, message) => {
    await syncTwo();

    const target = /^(?:\/|$)/.test(place) ? place || home.folder : `${home.folder}/${place}`;
    for (const force of [[], ["--force"]]) {
      const { code, stderr } = await home.pond("export", ...force, "-o", target);

      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
  });

  it("asks for the file to write when none is named", async () => {
    const { code, stderr } = await home.pond("export");

    expect([code, stderr]).toEqual([
      2,
      "error: name the file to write: pond export -o FILE.pond\n",
    ]);
  });

  it("shows its progress on a terminal", async () => {
    await syncTwo();

    const { stderr } = await home.pondWith({ isTerminal: true }, "export", "-o", file);

    expect(stderr).toContain("copying");
    expect(stderr).toContain("writing");
    expect(stderr.endsWith("\x1b[J\r")).toBe(true);
  });
});

describe("pond export --redact", () => {
  // In pieces, or scanners would take this file for a leak.
  const token = ["ghp", "a1B2c3D4".repeat(5).slice(0, 36)].join("_");
  const counted = { rule: "github-token", count: 3 };

  async function syncSecret(): Promise<void> {
    const more = { cwd: "/home/alice/work", extra: { kept: [`native ${token}`] } };
    home.writeSession("s1", line("s1", "a", `use ${token}`, more), line("s1", "b", "two", more));
    expect((await home.pond("sync", "-q")).code).toBe(0);
  }

  it("writes placeholders for secrets, which a restored file then holds, and reports their number", async () => {
    await syncSecret();
    const before = (await home.pond("get", "s1", "--json", "--mode", "verbatim")).stdout;

    const plain = await home.pond("export", "-o", file, "--redact");
    const imported = await home.pond(...storage("other"), "import", file);
    const out = join(home.folder, "out");
    const restored = await home.pond(...storage("other"), "restore", "s1", "--out", out, "--json");

    const [{ path }] = JSON.parse(restored.stdout).files;
    const lines = readFileSync(path, "utf8").trim().split("\n");
    const text = "use [redacted 1: github-token]";
    expect([plain.code, plain.stderr]).toEqual([0, "Replaced 3 secrets (3 github-token).\n"]);
    expect(imported.stderr).toBe(
      "It was redacted when it was made: placeholders stand for 3 secrets (3 github-token).\n",
    );
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      ...{ message: { content: text }, cwd: "/home/alice/work" },
      extra: { kept: ["native [redacted 1: github-token]"] },
    });
    expect(lines.join("")).not.toContain(token);
    expect((await home.pond("get", "s1", "--json", "--mode", "verbatim")).stdout).toBe(before);
  });

  it("reports the replacements in JSON, on import of the file too", async () => {
    await syncSecret();

    const exported = await home.pond("export", "-o", file, "--redact", "--user-names", "--json");
    const proven = await home.pond("import", file, "--dry-run", "--json");
    const imported = await home.pond("import", file, "--json");

    const { redacted, rows } = JSON.parse(exported.stdout);
    expect(redacted).toEqual(expect.arrayContaining([counted, { rule: "user-name", count: 3 }]));
    expect(JSON.parse(proven.stdout)).toMatchObject({ redacted, rows });
    // The originals are here, and stay.
    expect(JSON.parse(imported.stdout)).toMatchObject({ redacted, differing: 2 });
    expect((await home.pond("get", "s1")).stdout).toContain(token);
  });

  it("refuses - as the file to write, and creates no file of that name", async () => {
    const { code, stderr } = await home.pond("export", "-o", "-");

    expect([code, stderr]).toEqual([2, expect.stringMatching(/not stdout: name one/)]);
    expect(existsSync("-")).toBe(false);
  });

  it("refuses --user-names without --redact", async () => {
    const { code, stderr } = await home.pond("export", "-o", file, "--user-names");

    expect([code, stderr.includes("--user-names needs --redact")]).toEqual([2, true]);
  });
});

describe("pond import", () => {
  it("brings a wiped store back, and adds nothing the second time", async () => {
    await syncTwo();
    const before = (await home.pond("get", "s1", "--json")).stdout;
    await home.pond("export", "-o", file);
    rmSync(join(home.folder, ".local/share"), { recursive: true });

    const first = await home.pond("import", file);
    const second = await home.pond("import", file, "--json");

    expect(first).toEqual({
      code: 0,
      stdout: "2 new sessions, 3 new messages; 0 there already.\n",
      stderr: "",
    });
    expect(JSON.parse(second.stdout)).toEqual({
      tables: {
        sessions: added(0, 2),
        messages: added(0, 3),
        parts: added(0, 3),
        windows: added(0, 2),
      },
      differing: 0,
      damaged: [],
      vectors_left_out: 0,
    });
    expect((await home.pond("get", "s1", "--json")).stdout).toBe(before);
    expect((await home.pond("search", "three", "--json")).stdout).toContain('"s2"');
  });

  it.each(["import", "copy"])(
    "pond %s continues past a damaged session, names it and exits with 3",
    async (verb) => {
      home.writeSession("s1", line("s1", "a", "one"));
      await home.pond("sync", "-q");
      const other = join(home.folder, "other");
      await home.pond("copy", "@", other);
      damageMessages();
      home.writeSession("s1", line("s1", "a", "one"), line("s1", "b", "two"));
      await home.pond(...storage("other"), "sync", "-q");
      await home.pond(...storage("other"), "export", "-o", file);

      const argv = verb === "import" ? ["import", file] : ["copy", other, "@"];
      const { code, stdout, stderr } = await home.pond(...argv);

      expect([code, stdout]).toEqual([3, "0 new sessions, 1 new message; 1 there already.\n"]);
      expect(stderr).toContain("1 session with damaged or lost rows");
      expect(stderr).toContain(": s1");
    },
  );

  it("checks a file and stores nothing with --dry-run", async () => {
    await syncTwo();
    const exported = JSON.parse((await home.pond("export", "-o", file, "--json")).stdout);

    const plain = await home.pond(...storage("other"), "import", file, "--dry-run");
    const json = await home.pond(...storage("other"), "import", file, "--dry-run", "--json");

    const { rows, digests } = exported;
    expect(plain.stdout).toBe(
      "The file is whole: 2 sessions, 3 messages. Nothing of it was stored.\n",
    );
    expect(JSON.parse(json.stdout)).toEqual({ store_id: expect.any(String), rows, digests });
    expect(existsSync(join(home.folder, "other"))).toBe(false);
  });

  it.each(["import", "sync"])(
    "pond %s refuses a truncated file and creates no store",
    async (verb) => {
      await syncTwo();
      await home.pond("export", "-o", file);
      truncateSync(file, readFileSync(file).length - 600);
      const cache = join(home.folder, "cache");
      const env = { XDG_CACHE_HOME: cache };
      const argv = verb === "sync" ? ["sync", "--import-from", file] : ["import", file];

      const { code, stdout, stderr } = await home.pondWith(
        { env },
        ...storage("other"),
        ...argv,
        "--json",
      );

      const { error } = JSON.parse(stdout);
      expect([code, error.details.kind, error.details.file]).toEqual([1, "archive_damaged", file]);
      expect(stderr).toContain("Nothing was stored.");
      expect(existsSync(join(home.folder, "other"))).toBe(false);
      expect(existsSync(join(cache, "pond"))).toBe(false);
    },
  );

  it("says that the file does not exist", async () => {
    const { code, stderr } = await home.pond("import", file);

    expect(code).toBe(1);
    expect(stderr).toContain(`${file}: there is no such file`);
  });
});

describe("pond sync --import-from", () => {
  it("stores the archive first, then the clients' sessions", async () => {
    await syncTwo();
    await home.pond("export", "-o", file);
    home.writeSession("s3", line("s3", "d", "four"));

    const plain = await home.pond(...storage("other"), "sync", "--import-from", file);
    const json = await home.pond(...storage("other"), "sync", "--import-from", file, "--json");

    const { archive, adapters } = JSON.parse(json.stdout);
    expect(plain.stdout).toContain("2 new sessions, 3 new messages; 0 there already.\n");
    expect(plain.stdout).toContain("3 sessions: 1 new, +1 message");
    expect([archive.tables.messages, adapters[0].sessions.unchanged]).toEqual([added(0, 3), 3]);
  });

  it("is refused when the import stage is skipped", async () => {
    const { code, stderr } = await home.pond("sync", "--skip", "import", "--import-from", file);

    expect([code, stderr.includes("--import-from needs the stage")]).toEqual([2, true]);
  });
});

describe("pond copy", () => {
  it("adds to another store the sessions and messages that it lacks", async () => {
    await syncTwo();
    const other = join(home.folder, "other");

    const first = await home.pond("copy", "@", other);
    home.writeSession("s3", line("s3", "d", "four"));
    await home.pond("sync", "-q");
    const second = await home.pond("copy", "@", other, "--json");

    expect(first.stdout).toBe("2 new sessions, 3 new messages; 0 there already.\n");
    expect(JSON.parse(second.stdout).tables.messages).toEqual(added(1, 3));
    const listed = (await home.pond(...storage("other"), "list", "--json")).stdout.trim();
    expect(listed.split("\n")).toHaveLength(3);
  });

  it("refuses to copy a store into itself", async () => {
    const { code, stderr } = await home.pond(...storage("s"), "copy", "@", join(home.folder, "s"));

    expect([code, stderr.includes("are the same store")]).toEqual([2, true]);
  });

  it("creates no store when there is none to copy", async () => {
    const other = join(home.folder, "other");

    const { code, stderr } = await home.pond("copy", "@", other);

    expect([code, existsSync(other)]).toEqual([1, false]);
    expect(stderr).toContain("name another with --storage");
  });

  it("says that FROM is the place without a store", async () => {
    await syncTwo();
    const other = join(home.folder, "other");

    const text = await home.pond("copy", other, "@");
    const { stdout } = await home.pond("copy", other, "@", "--json");
    const itself = await home.pond("copy", join(home.folder, ".local/share/pond/default"), other);

    expect([text.code, text.stderr]).toEqual([
      1,
      expect.stringMatching(/no store here\nFROM is to be read: name a folder or an address /),
    ]);
    expect(JSON.parse(stdout).error.details).toMatchObject({ kind: "store_not_found" });
    expect(itself.stderr).toMatch(/is a store itself: pass .+\/pond'? --namespace default\n$/);
  });
});
