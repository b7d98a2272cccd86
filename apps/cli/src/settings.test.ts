import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseTime } from "./arguments.ts";
import { ConfigError, UsageError } from "./errors.ts";
import { resolveSettings } from "./settings.ts";
import { shortIds } from "./short-ids.ts";
import { Home } from "./testing.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const locate = async (flags = {}, env = {}): Promise<string> =>
  (await resolveSettings(flags, env, home.folder)).location.replace(home.folder, "~");

describe("resolveSettings", () => {
  it("prefers flags to the environment, then config.toml, then the default", async () => {
    const without = await locate();
    home.write(".config/pond/config.toml", 'storage = "~/from-config"\nnamespace = "team"');

    expect([
      without,
      await locate(),
      await locate({}, { POND_STORAGE: "~/from-env" }),
      await locate({ storage: "/flag", namespace: "mine" }, { POND_STORAGE: "/env" }),
    ]).toEqual([
      "~/.local/share/pond/default",
      "~/from-config/team",
      "~/from-env/team",
      "/flag/mine",
    ]);
  });

  it.each([
    ["s3://bucket/ponds/", "s3://bucket/ponds/default"],
    ["file:///srv/pond", "/srv/pond/default"],
    ["/srv/./pond", "/srv/pond/default"],
  ])("adds the default namespace to the storage %s", async (storage, expected) => {
    expect(await locate({ storage })).toBe(expected);
  });

  it.each([
    ["s3:/bucket/ponds", "is not an address: write s3://bucket/ponds, or"],
    ["az:container", "is not an address: write az://container, or"],
    ["file:/srv/pond", "is not an address: write file:///srv/pond, or"],
    ["file://host/srv/pond", "names no folder here"],
    ["s3://", "names no bucket"],
    ["az:///", "names no bucket"],
    ["  ", "--storage is empty"],
    ["/srv/pond\n", "holds a control character"],
    ["s3://bucket/a\tb", "holds a control character"],
    ["memory://ponds", "keeps nothing"],
    ["ftp://host/ponds", '"ftp" is not a kind of storage; use a folder, s3://, az:// or gs://'],
    ["https://bucket.example.org/ponds", '"https" is not a kind of storage'],
    [
      "abfss://team@acct.dfs.core.windows.net/ponds",
      '"abfss" is not a kind of storage; use a folder, s3://, az:// or gs://: write az://CONTAINER/PATH, and account_name = "ACCOUNT" in [storage_options]',
    ],
    ["wasbs://team@acct.blob.core.windows.net", "write az://CONTAINER/PATH"],
    ["~bob/ponds", "write out the home folder of ~bob, or ./~bob/ponds for a folder here"],
  ])("refuses the storage %s", async (storage, message) => {
    await expect(locate({ storage })).rejects.toThrow(UsageError);
    await expect(locate({ storage })).rejects.toThrow(message);
  });

  it.each([
    "s3://AKIA:top/Secret@bucket/ponds",
    "s3://topSecret@bucket",
    "az://container/ponds?sig=topSecret",
  ])("refuses the storage %s without repeating it", async (storage) => {
    const refused = await locate({ storage }).catch((error) => error);

    expect(refused.message).toContain("[storage_options]");
    expect(JSON.stringify([refused.message, refused.details])).not.toMatch(/Secret/);
  });

  it("does not repeat a refused storage that holds a control character", async () => {
    const storage = "s3://AKIA:topSecret@bucket\n";
    const refused = await locate({ storage }).catch((error) => error);

    expect(JSON.stringify([refused.message, refused.details])).not.toMatch(/Secret/);
  });

  it("names the scheme of an address that it refuses, without repeating the rest", async () => {
    const refused = await locate({ storage: "ftp://ada:topSecret@host" }).catch((error) => error);

    expect(refused.message).toContain('"ftp" is not a kind of storage');
    expect(JSON.stringify([refused.message, refused.details])).not.toMatch(/Secret/);
  });

  it("accepts an address with an @ in its path", async () => {
    const storage = "s3://bucket/ada@example.org";
    expect(await locate({ storage })).toBe(`${storage}/default`);
  });

  it.each([
    ["s3:/bucket/ponds", ':2: "storage" is not an address: an address begins with s3://'],
    ["az:container", ':2: "storage" is not an address: an address begins with az://'],
    ["memory://ponds", "keeps nothing"],
    ["~bob/ponds", ':2: "storage" is not known: write out the home folder of ~bob'],
  ])(
    "refuses the storage %s in config.toml, rather than use it as a folder",
    async (storage, message) => {
      home.write(".config/pond/config.toml", `# mine\nstorage = "${storage}"\n`);
      await expect(locate()).rejects.toThrow(message);
    },
  );

  it("uses as a folder a path that only looks like an address", async () => {
    home.write(".config/pond/config.toml", 'storage = "./s3:/bucket"');
    expect(await locate()).toBe("~/.config/pond/s3:/bucket/default");
  });

  it("uses XDG_DATA_HOME unless it is relative", async () => {
    expect([
      await locate({}, { XDG_DATA_HOME: "/data" }),
      await locate({}, { XDG_DATA_HOME: "data" }),
    ]).toEqual(["/data/pond/default", "~/.local/share/pond/default"]);
  });

  it.each(["", "..", "a/b", "Team", "-x", "a".repeat(65), "ünï"])(
    "refuses the namespace %j (`wire-namespace-resolution`)",
    async (namespace) => {
      await expect(locate({ namespace })).rejects.toThrow(UsageError);
    },
  );

  it("reads the storage, its options and adapters from a config file", async () => {
    const file = home.write(
      "else/pond.toml",
      `storage = "store"
[storage_options]
region = "eu"
[adapters.claude-code]
enabled = false
paths = ["~/.claude", "/mnt/old"]`,
    );

    const settings = await resolveSettings({}, { POND_CONFIG: file }, home.folder);

    expect([settings.location, settings.config]).toEqual([
      join(home.folder, "else/store/default"),
      {
        file,
        storage: join(home.folder, "else/store"),
        storageOptions: { region: "eu" },
        adapters: {
          "claude-code": {
            place: `${file}:4`,
            isEnabled: false,
            paths: [join(home.folder, ".claude"), "/mnt/old"],
          },
        },
      },
    ]);
  });

  it.each([
    [
      '\nstorge = "x"',
      ':2: "storge" is not a setting; did you mean "storage"? known here: storage, namespace',
    ],
    ["[adapters.claude-code]\npath = 1", ':2: "adapters.claude-code.path" is not a setting'],
    ["[adapters.claude-code]\nenabled = 1", '"adapters.claude-code.enabled" must be true or false'],
    ["storage = 5", ':1: "storage" must be a string'],
    ['\nnamespace = "A B"', ':2: "namespace" must be up to 64 of a-z'],
    ["adapters = 5", '"adapters" must be a table'],
    ["[adapters.x]\npaths = [1]", '"adapters.x.paths" must be a string'],
    [
      "[adapters.x]\npaths = []",
      ':2: "adapters.x.paths" names no folder: name a folder, leave it out',
    ],
    ["\nembeddings.modl = 1", ':2: "embeddings.modl" is not a setting'],
    ['\nadapters . "pi" .paths = 1', ':2: "adapters.pi.paths" must be a list of folders'],
    ["[adapters]\npi.path = 1", ':2: "adapters.pi.path" is not a setting'],
    ["\npi.enabled = true", ':2: "pi" is not a setting'],
    ['\n"a.b" = 1', ':2: "a.b" is not a setting'],
    ["\nadapters.pi = { paths = 1 }", ':2: "adapters.pi.paths" must be a list of folders'],
    ["[[stores]]\nat = 1", ':1: "stores" is not a setting'],
    ["[adapters.pi]\nenabled = true\n[embeddings]\nenabled = 1", ':4: "embeddings.enabled" must'],
    ["a = = b", ":1:"],
  ])("refuses %j and names the place of the mistake", async (text, message) => {
    const file = home.write(".config/pond/config.toml", text);

    const failure = await resolveSettings({}, {}, home.folder).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ConfigError);
    expect(String(failure)).toContain(file);
    expect(String(failure)).toContain(message);
  });

  it("refuses a config file that is not UTF-8", async () => {
    const file = home.write(".config/pond/config.toml", "");
    writeFileSync(file, Buffer.from('storage = "/b\xfccher"\n', "latin1"));

    await expect(locate({})).rejects.toMatchObject({
      code: "config_invalid",
      message: `${file}: is not UTF-8: save it as UTF-8`,
    });
  });

  it.each([
    ["config.toml", ".config/pond", "config.toml"],
    ["the folder of config.toml", ".config", "pond"],
  ])("refuses a dangling link in place of %s", async (_, folder, name) => {
    home.write(`${folder}/.keep`, "");
    const link = join(home.folder, folder, name);
    symlinkSync("unmounted", link);

    const { code, stderr } = await home.pond("sync");

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`${link}: is a link to a file that does not exist`),
    ]);
    await expect(locate({}, { POND_CONFIG: join(link, "mine.toml") })).rejects.toThrow(
      `${link}: is a link to a file that does not exist`,
    );
  });

  it("refuses a link to itself, and a name that is too long", async () => {
    const link = join(home.folder, "config.toml");
    symlinkSync("config.toml", link);

    await expect(locate({}, { POND_CONFIG: link })).rejects.toThrow(
      `${link}: is a link that leads back to itself`,
    );
    const long = `/${"long".repeat(99)}`;
    await expect(locate({}, { POND_CONFIG: long })).rejects.toThrow(
      `${long}: has a name longer than the system allows`,
    );
  });

  it("is not needed to print a completion script", async () => {
    home.write(".config/pond/config.toml", "storage = 5");

    const { code, stdout, stderr } = await home.pond("completions", "bash");

    expect([code, stdout.startsWith("_pond() {"), stderr]).toEqual([0, true, ""]);
  });

  it("refuses a config file that cannot exist, being below a file", async () => {
    const file = home.write("a-file", "");

    await expect(locate({}, { XDG_CONFIG_HOME: file })).rejects.toThrow(
      `${file}/pond/config.toml: cannot exist: a folder of its path is a file`,
    );
  });

  it("refuses a POND_CONFIG that does not exist", async () => {
    await expect(locate({}, { POND_CONFIG: "/nowhere.toml" })).rejects.toThrow(
      /POND_CONFIG names it/,
    );
  });

  it("refuses a POND_CONFIG that is a folder", async () => {
    await expect(locate({}, { POND_CONFIG: home.folder })).rejects.toThrow(/is a folder/);
  });

  it("refuses settings for an unknown client", async () => {
    home.write(".config/pond/config.toml", "\n[adapters.claud-code]\nenabled = false");

    const { code, stderr } = await home.pond("adapters");

    expect(code).toBe(2);
    expect(stderr).toContain(
      'config.toml:2: "adapters.claud-code" names no client that pond knows; did you mean "claude-code"?',
    );
  });

  it("leaves a disabled client out of a sync, unless the client is named", async () => {
    home.write(".config/pond/config.toml", "[adapters.claude-code]\nenabled = false");
    home.write(".claude/projects/-work/s.jsonl", "");

    const all = JSON.parse((await home.pond("sync", "--json")).stdout);
    const named = JSON.parse((await home.pond("sync", "claude-code", "--json")).stdout);

    const names = all.adapters.map(({ name }: { readonly name: string }) => name);
    expect(names).toContain("codex");
    expect(names).not.toContain("claude-code");
    expect(named.adapters[0].sessions.seen).toBe(1);
  });
});

describe("parseTime", () => {
  const now = new Date(2026, 10, 20, 15, 30);
  it.each([
    ["today", new Date(2026, 10, 20)],
    ["yesterday", new Date(2026, 10, 19)],
    ["2026-03-01", new Date(2026, 2, 1)],
    ["2026-03-01T14:00Z", new Date("2026-03-01T14:00:00Z")],
    ["2026-03-01T14:00:00+02:00", new Date("2026-03-01T12:00:00Z")],
    ["2h", new Date(2026, 10, 20, 13, 30)],
    ["1w", new Date(2026, 10, 13, 15, 30)],
  ])("understands %s", (text, expected) => {
    expect(parseTime(text, now)).toBe(BigInt(expected.getTime()) * 1000n);
  });

  it.each([
    ["2026-03-01T10:00:00.123400Z", 123_400n],
    ["2026-03-01 11:00:00.1239+01:00", 123_900n],
    ["2026-03-01T10:00:00.000001Z", 1n],
    ["2026-03-01T10:00:00.5Z", 500_000n],
    ["2026-03-01T10:00:00.1234567Z", 123_456n],
  ])("keeps the microseconds of %s", (text, micros) => {
    const second = BigInt(Date.parse("2026-03-01T10:00:00Z")) * 1000n;

    expect(parseTime(text) - second).toBe(micros);
  });

  it.each(["", "soon", "7", "7y", "2026-13-01", "2026-02-30", "1.5d", "999999w"])(
    "refuses %j rather than guess",
    (text) => {
      expect(() => parseTime(text, now)).toThrow(/Use a date/);
    },
  );
});

describe("shortIds", () => {
  it("makes ids just long enough to differ, and keeps sub-agents of short ids whole", () => {
    const ids = ["11111111-aaaa-0000", "11111111-abbb-0000", "x/subagents/agent-1", "short"];

    expect([shortIds(ids.slice(1)), shortIds([...ids, "22222222-0000-0000"])]).toEqual([
      ["11111111", "x/subagents/agent-1", "short"],
      ["11111111-aa", "11111111-ab", "x/subagents/agent-1", "short", "22222222"],
    ]);
  });

  it("keeps both ends of a sub-agent's id", () => {
    const root = "11111111-aaaa-0000";
    const agents = ["7c31f09be24d6581", "8c31f09be24d6581"].map(
      (agent) => `${root}/subagents/agent-a${agent}`,
    );

    expect(shortIds([root, ...agents.slice(1)])).toEqual(["11111111", "11111111…e24d6581"]);
    expect(shortIds(agents)).toEqual(["11111111…7c31f09be24d6581", "11111111…8c31f09be24d6581"]);
  });
});
