import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createContext, createOutput } from "../context.ts";
import type { Asker } from "../init/ask.ts";
import { initWith } from "../init/init.ts";
import { mcpServer } from "../init/register-mcp.ts";
import { fake, fakePath } from "../schedule/testing.ts";
import { shellLine } from "../shell-words.ts";
import { Home, line } from "../testing.ts";
import { startOf } from "../testing-start.ts";

let home: Home;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  home = new Home();
  env = fakePath(home);
  home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
  home.write(".codex/config.toml", '# mine\nmodel = "x" # y\n');
});
afterEach(() => home.remove());

const init = (...argv: readonly string[]) => home.pondWith({ env }, "init", ...argv);
const initJson = async (...argv: readonly string[]) => {
  const { code, stdout } = await init("--json", ...argv);
  return { code, report: JSON.parse(stdout) };
};
const read = (path: string): string => readFileSync(join(home.folder, path), "utf8");
const isThere = (path: string): boolean => existsSync(join(home.folder, path));
const server = () => mcpServer({ env: { ...home.env, ...env }, home: home.folder });

/** Every file of the home and what is in it. */
function snapshot(): Record<string, string> {
  const entries = readdirSync(home.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file, createHash("sha256").update(readFileSync(file)).digest("hex")];
    }),
  );
}

/** Stand-ins for the clients' own commands, which do to their files what the real ones do. */
function fakeClients(): void {
  const program = home.write(
    "fake-client.mjs",
    `import { existsSync, readFileSync, writeFileSync } from "node:fs";
const [client, , verb, ...rest] = process.argv.slice(2);
const [command, ...args] = rest.slice(rest.indexOf("--") + 1);
const env = Object.fromEntries(rest.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split("=")));
if (client === "claude") {
  const file = process.env.HOME + "/.claude.json";
  const state = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const { pond, ...others } = state.mcpServers ?? {};
  if (verb === "remove" && !pond) { console.error("No MCP server named pond"); process.exit(1); }
  const own = verb === "add" ? { pond: { type: "stdio", command, args, env } } : {};
  writeFileSync(file, JSON.stringify({ ...state, mcpServers: { ...others, ...own } }));
} else {
  const file = process.env.HOME + "/.codex/config.toml";
  const text = readFileSync(file, "utf8").replace(/\\n\\[mcp_servers[^]*/, "");
  const own = "\\n[mcp_servers.pond]\\ncommand = " + JSON.stringify(command) + "\\nargs = " + JSON.stringify(args) + "\\n[mcp_servers.pond.env]\\n" +
    Object.entries(env).map(([key, value]) => key + " = " + JSON.stringify(value) + "\\n").join("");
  writeFileSync(file, verb === "add" ? text + own : text);
}
`,
  );
  for (const client of ["claude", "codex"]) {
    fake(home, client, `exec "${process.execPath}" "${program}" ${client} "$@"`);
  }
}

describe("the report of pond init", () => {
  it("lists the clients found, and the sessions that a client itself is about to delete", async () => {
    const days = (count: number) => home.now.getTime() / 1000 - count * 86_400;
    for (const [id, age] of [
      ["s2", 28],
      ["s3", 40],
    ] as const) {
      utimesSync(home.writeSession(id, line(id, "a", "x")), days(age), days(age));
    }
    utimesSync(home.writeSession("s1", line("s1", "a", "x")), days(1), days(1));

    const { code, stdout } = await init("--dry-run");
    const { report } = await initJson("--dry-run");
    home.write(".claude/settings.json", '{ "cleanupPeriodDays": 365 }');
    const later = await initJson("--dry-run");
    home.write(".claude/settings.json", "{ damaged");
    const unknown = await initJson("--dry-run");

    expect(code).toBe(0);
    expect(stdout).toMatch(/1 {2}claude-code +3 +\d+ B {2}11 Oct +~\/.claude/);
    expect(stdout).toContain(
      "claude-code itself deletes a session 30 days after it was last written to (its default): 1 session at its next start and 1 session within a week.",
    );
    expect(report.clients).toMatchObject([
      {
        name: "claude-code",
        chosen: true,
        places: [
          {
            sessions: 3,
            oldest: "2026-10-11T12:00:00.000Z",
            clean_up: { days: 30, set_in: null, due: 1, due_within_a_week: 1 },
          },
        ],
      },
      // Nothing is known of this one's.
      { name: "codex", chosen: true, places: [{ sessions: 0, oldest: null, clean_up: null }] },
    ]);
    expect(later.report.clients[0].places[0].clean_up).toEqual({
      days: 365,
      set_in: join(home.folder, ".claude/settings.json"),
      due: 0,
      due_within_a_week: 0,
    });
    expect(unknown.report.clients[0].places[0].clean_up).toBeNull();
  });

  it.each([60, 80, 200])("fits a terminal of %i columns", async (columns) => {
    const options = { env: { ...env, NO_COLOR: "1" }, isTerminal: true, columns };
    const { stdout } = await home.pondWith(options, "init", "--dry-run", "--no-mcp");

    const lines = stdout.split("\n");
    expect(Math.max(...lines.map((each) => each.length))).toBeLessThanOrEqual(columns);
    expect(stdout.replaceAll("\n", " ")).toContain("30 days after it was last written to");
  });

  it("writes nothing with --dry-run", async () => {
    env = fakePath(home, "systemctl", "crontab");
    fakeClients();
    const before = snapshot();

    const { code, stdout } = await init("--dry-run", "--client", "codex", "--storage", "x");
    const after = snapshot();
    delete after[join(home.folder, "systemctl.log")];

    expect(code).toBe(0);
    expect(after).toEqual(before);
    expect(stdout).toContain("Settings, to be written:");
    expect(stdout).toContain("codex: to be registered");
    expect(stdout).toContain("Schedule: to be started: every hour, with systemd");
    expect(stdout).toContain("Nothing was written.");
  });

  it("says that no client was found", async () => {
    for (const folder of [".claude", ".codex"]) {
      rmSync(join(home.folder, folder), { recursive: true });
    }

    const { code, stdout } = await init();
    const { report } = await initJson();

    expect([code, stdout]).toEqual([0, expect.stringContaining("`pond adapters` says where")]);
    expect(report).toEqual({
      dry_run: false,
      clients: [],
      config: null,
      mcp: [],
      schedule: null,
      sync: null,
    });
  });
});

describe("pond init", () => {
  it("registers its server with the clients, starts the schedule and syncs", async () => {
    env = fakePath(home, "systemctl");
    fakeClients();
    home.write(".claude.json", '{"oauthAccount":"hush","mcpServers":{"other":{}}}');
    home.write(".local/share/opencode/.keep", "");
    home.write(".config/opencode/opencode.jsonc", '{\n  // mine\n  "theme": "x",\n}\n');
    home.write(".omp/agent/sessions/.keep", "");

    const { code, report } = await initJson("--yes");

    expect(code).toBe(0);
    expect(Object.keys(report)).toEqual([
      ...["dry_run", "clients", "config", "mcp", "schedule", "sync"],
    ]);
    // What was chosen is what pond does by itself.
    expect(report.config).toEqual({
      file: join(home.folder, ".config/pond/config.toml"),
      written: false,
      backup: null,
      diff: "",
    });
    expect(isThere(".config/pond/config.toml")).toBe(false);
    const {
      command: [command, ...args],
      env: variables,
    } = server();
    expect(report.mcp).toEqual([
      {
        client: "claude-code",
        state: "registered",
        file: join(home.folder, ".claude.json"),
        command: [
          ...["claude", "mcp", "add", "--scope", "user", "pond"],
          ...Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
          ...["--", command, ...args],
        ],
        diff: expect.stringMatching(/^\+\{\n\+ {2}"mcpServers"/),
        replaces: false,
        backup: join(home.folder, ".claude.json.bak-20261120T120000Z"),
        message: null,
      },
      expect.objectContaining({ client: "codex", state: "registered" }),
      expect.objectContaining({ client: "opencode", state: "registered", command: null }),
      expect.objectContaining({ client: "omp", state: "registered", backup: null }),
    ]);
    expect(JSON.stringify(report)).not.toContain("hush");
    expect(JSON.parse(read(".claude.json"))).toEqual({
      oauthAccount: "hush",
      mcpServers: { other: {}, pond: { type: "stdio", command, args, env: variables } },
    });
    expect(read(".codex/config.toml")).toMatch(/^# mine\nmodel = "x" # y\n\n\[mcp_servers\.pond\]/);
    expect(read(".config/opencode/opencode.jsonc")).toMatch(
      /^\{\n {2}\/\/ mine\n {2}"theme": "x",\n {2}"mcp": \{\n {4}"pond": \{\n {6}"type": "local",/,
    );
    expect(JSON.parse(read(".omp/agent/mcp.json"))).toEqual({
      mcpServers: { pond: { command, args, env: variables } },
    });
    expect(report.schedule).toMatchObject({ state: "started", scheduler: "systemd", every: "1h" });
    expect(report.sync.adapters[0]).toMatchObject({ name: "claude-code", sessions: { new: 1 } });
  });

  it("changes nothing when it is run again", async () => {
    env = fakePath(home, "systemctl");
    fakeClients();
    await init("--client", "claude-code", "codex");
    const [claude, codex, journal] = [".claude.json", ".codex/config.toml", stateFile].map(read);

    const { code, stdout } = await init("--client", "claude-code", "codex");
    const { report } = await initJson();

    expect(code).toBe(0);
    expect(stdout).toContain("Settings: nothing to write, they are as chosen already.");
    expect(stdout).toContain("claude-code: already registered\n");
    expect(stdout).toContain("Schedule: already there, and left as it is");
    expect(stdout).toContain("nothing new");
    expect(report.mcp.map(({ state }: { state: string }) => state)).toEqual(["already", "already"]);
    expect([".claude.json", ".codex/config.toml", stateFile].map(read)).toEqual([
      ...[claude, codex, journal],
    ]);
    expect(readdirSync(join(home.folder, ".codex"))).toHaveLength(2);
  });

  it("leaves out the steps that its flags exclude", async () => {
    env = fakePath(home, "systemctl");
    fakeClients();

    const { code, report } = await initJson("--no-mcp", "--no-schedule", "--no-sync");

    expect([code, report.mcp, report.schedule, report.sync]).toEqual([0, [], null, null]);
    expect(isThere(stateFile)).toBe(false);
    expect(isThere(".local/share/pond")).toBe(false);
  });

  it("stores the sessions of the named clients only, in the named store", async () => {
    const place = join(home.folder, "my store");

    const { code, report } = await initJson("--client", "claude-code", "--storage", place);
    const again = await initJson("--yes");
    const back = await initJson("--client", "codex", "claude-code", "--no-sync");

    expect(code).toBe(0);
    expect(report.config).toMatchObject({ written: true, backup: null });
    expect(report.config.diff).toBe(
      `@@ line 1 @@\n+storage = ${JSON.stringify(place)}\n+\n+[adapters.codex]\n+enabled = false\n`,
    );
    const names = report.sync.adapters.map(({ name }: { name: string }) => name);
    expect(names).not.toContain("codex");
    expect(isThere("my store/default")).toBe(true);
    expect(again.report.config.diff).toBe("");
    expect(again.report.clients.map(({ chosen }: { chosen: boolean }) => chosen)).toEqual([
      ...[true, false],
    ]);
    expect(back.report.config.diff).toBe("@@ line 4 @@\n-enabled = false\n+enabled = true\n");
    expect(statSync(join(home.folder, ".config/pond/config.toml")).mode & 0o777).toBe(0o600);
  });

  it("keeps the comments, mode and link of an existing config.toml", async () => {
    const text = '# my sessions\nnamespace = "mine" # for now\n';
    const target = home.write("dotfiles/pond.toml", text);
    home.write(".config/pond/.keep", "");
    symlinkSync(target, join(home.folder, ".config/pond/config.toml"));

    const { report } = await initJson("--client", "codex", "--no-sync");

    expect(read("dotfiles/pond.toml")).toBe(`${text}\n[adapters.claude-code]\nenabled = false\n`);
    expect(report.config.backup).toBe(
      join(home.folder, ".config/pond/config.toml.bak-20261120T120000Z"),
    );
    expect(readFileSync(report.config.backup, "utf8")).toBe(text);
    expect(statSync(target).mode & 0o777).toBe(0o644);
  });

  it.each([
    ["unknown", ["--client", "cluade-code"], "Did you mean"],
    [
      "not installed",
      ["--client", "opencode"],
      "opencode has no folder here; found: claude-code, codex",
    ],
  ])("refuses a client that is %s", async (_, argv, words) => {
    const { code, stderr } = await init(...argv);

    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(isThere(".config/pond")).toBe(false);
  });

  it("leaves somebody else's server called pond alone", async () => {
    fakeClients();
    const text = '[mcp_servers.pond]\ncommand = "pond"\nargs = ["mcp"]\n';
    home.write(".codex/config.toml", text);

    const { code, report } = await initJson("--client", "codex", "--no-sync");

    expect([code, report.mcp[0].state]).toEqual([0, "other"]);
    expect(read(".codex/config.toml")).toBe(text);
  });

  it("prints the command to run when a client's own command is missing", async () => {
    const { code, report } = await initJson("--client", "codex", "--no-sync");

    expect([code, report.mcp[0].state]).toEqual([0, "manual"]);
    expect(report.mcp[0].message).toMatch(/^codex is not on the PATH; run codex mcp add pond /);
  });

  it("continues with the other clients when one fails", async () => {
    fakeClients();
    fake(home, "claude", 'echo "claude is out" >&2; exit 9');
    home.write(".omp/agent/mcp.json", "{ damaged");
    home.write(".config/opencode/opencode.json", '{ "mcp": [] }');
    home.write(".local/share/opencode/.keep", "");

    const { code, report } = await initJson("--no-sync");
    home.write(".codex/config.toml", "not = [toml");
    const again = await initJson("--no-sync", "--client", "codex");

    expect([code, again.code]).toEqual([3, 3]);
    expect(again.report.mcp[0].message).toContain("config.toml is not TOML");
    expect(report.mcp.map(({ state }: { state: string }) => state)).toEqual([
      ...["failed", "registered", "failed", "failed"],
    ]);
    expect(report.mcp[0].message).toContain(
      "ended with 9 and did not register pond: claude is out",
    );
    expect(report.mcp[2].message).toContain("opencode.json is not an object");
    expect(report.mcp[3].message).toContain("mcp.json is not JSON");
    expect(read(".config/opencode/opencode.json")).toBe('{ "mcp": [] }');
    expect(read(".omp/agent/mcp.json")).toBe("{ damaged");
    expect(read(stateFile)).not.toContain("claude");
  });
});

const stateFile = ".local/state/pond/init.json";

describe("a store named by --storage when the environment names another", () => {
  const config = ".config/opencode/opencode.json";
  const service = ".config/systemd/user/pond-sync.service";
  const [first, second] = ["first store", "second store"] as const;
  const served = () => [".claude.json", ".codex/config.toml", config, service].map(read);
  const folder = (name: string): string => join(home.folder, name);

  beforeEach(() => {
    env = { ...fakePath(home, "systemctl"), POND_STORAGE: join(home.folder, first) };
    fakeClients();
    home.write(".local/share/opencode/.keep", "");
    home.write(config, '{\n  "theme": "x"\n}\n');
  });

  it("is the store that agents and the schedule use", async () => {
    const { report } = await initJson("--storage", folder(second), "--no-sync");

    expect(report.mcp.map(({ state }: { state: string }) => state)).toEqual([
      ...["registered", "registered", "registered"],
    ]);
    expect(served().filter((text) => text.includes("POND_STORAGE"))).toEqual([]);
    expect(read(".config/pond/config.toml")).toContain(second);
  });

  it("replaces the store that they were told of before, and the interval stays", async () => {
    await init("--no-sync");
    await home.pondWith({ env }, "schedule", "start", "--every", "30m");
    expect(served().filter((text) => text.includes(first))).toHaveLength(4);

    const planned = await initJson("--storage", folder(second), "--dry-run");
    expect(served().filter((text) => text.includes(first))).toHaveLength(4);
    const { report } = await initJson("--storage", folder(second), "--no-sync");
    const again = await initJson("--storage", folder(second), "--no-sync");

    const states = ({ mcp, schedule }: typeof report) => [
      ...mcp.map(({ state, replaces }: typeof report) => [state, replaces]),
      schedule.state,
    ];
    expect(states(planned.report)).toEqual([...Array(3).fill(["planned", true]), "planned"]);
    expect(states(report)).toEqual([...Array(3).fill(["registered", true]), "started"]);
    expect(states(again.report)).toEqual([...Array(3).fill(["already", false]), "already"]);
    expect(report.mcp[2].diff).toContain(`-        "POND_STORAGE": "${folder(first)}`);
    expect(served().filter((text) => text.includes("POND_STORAGE"))).toEqual([]);
    expect(report.schedule.every).toBe("30m");

    const undone = await init("--undo");
    expect(undone.code).toBe(0);
    expect(read(config)).toBe('{\n  "theme": "x"\n}\n');
    expect(isThere(service)).toBe(false);
  });

  it("does not replace settings that the user has changed", async () => {
    await init("--no-sync", "--client", "opencode");
    await home.pondWith({ env }, "schedule", "start", "--storage", folder("third"));
    home.write(config, read(config).replace('"enabled": true', '"enabled": false'));
    const before = [config, service].map(read);
    const mine = ["--no-sync", "--client", "opencode"];
    env = { ...env, POND_STORAGE: folder(second) };

    const { report } = await initJson(...mine);
    const files = [config, service].map(read);
    const named = await initJson(...mine, "--storage", folder("fourth"));

    for (const each of [report, named.report]) {
      expect(each.mcp[0]).toMatchObject({
        state: "other",
        message: expect.stringContaining("holds settings of yours"),
      });
    }
    expect(report.schedule.state).toBe("already");
    expect(files).toEqual(before);
    expect(read(config)).toBe(before[0]);
  });
});

it.each<[name: string, variables: Readonly<Record<string, string>>, folder: string]>([
  ["a profile's folder", { OMP_PROFILE: "work" }, ".omp/profiles/work/agent"],
  [
    "a folder that is set in PI_CODING_AGENT_DIR",
    { PI_CODING_AGENT_DIR: "~/.omp/other" },
    ".omp/other",
  ],
  ["the default folder", {}, ".omp/agent"],
  ["the default folder when sessions are kept elsewhere", { XDG_DATA_HOME: "moved" }, ".omp/agent"],
])(
  "pond init registers with omp in the folder that omp reads: %s",
  async (_, variables, folder) => {
    home.write(`${folder}/sessions/.keep`, "");
    home.write("moved/omp/sessions/.keep", "");
    const { XDG_DATA_HOME: moved } = variables;
    env = { ...env, ...variables, ...(moved && { XDG_DATA_HOME: join(home.folder, moved) }) };

    const { report } = await initJson("--client", "omp", "--no-sync", "--no-schedule");

    expect(report.mcp[0]).toMatchObject({
      state: "registered",
      file: join(home.folder, folder, "mcp.json"),
    });
    expect(JSON.parse(read(`${folder}/mcp.json`)).mcpServers.pond.command).toBe(process.execPath);
    expect(isThere("~")).toBe(false);
  },
);

describe("pond init --undo", () => {
  it("takes everything back except what was stored", async () => {
    env = fakePath(home, "crontab");
    fakeClients();
    home.write(".local/share/opencode/.keep", "");
    home.write(".config/opencode/opencode.json", "{}\n");
    const before = snapshot();
    await init("--client", "claude-code", "opencode");

    const { code, stdout } = await init("--undo");
    const left = Object.entries(snapshot()).filter(
      ([file]) => !/\.bak-|\.local\/(share|state)\/pond\/|\.claude\.json$/.test(file),
    );
    const again = await init("--undo");

    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "schedule: removed",
      "~/.config/opencode/opencode.json: restored",
      "mcp of claude-code: removed",
      "~/.config/pond/config.toml: removed",
      "What pond has stored stays.",
      "",
    ]);
    expect(Object.fromEntries(left)).toEqual(before);
    expect(JSON.parse(read(".claude.json"))).toEqual({ mcpServers: {} });
    expect(isThere(stateFile)).toBe(false);
    expect(isThere(".local/share/pond/default")).toBe(true);
    expect(again.stdout).toBe("There is nothing to undo.\n");
  });

  it("overwrites no file that changed since, and tries again what failed", async () => {
    fakeClients();
    home.write(".omp/agent/mcp.json", '{ "mcpServers": {} }');
    await init("--client", "omp", "claude-code", "--no-sync");
    const config = join(home.folder, ".config/pond/config.toml");
    writeFileSync(config, `${readFileSync(config, "utf8")}# mine\n`);
    const servers = JSON.parse(read(".omp/agent/mcp.json")).mcpServers;
    home.write(".omp/agent/mcp.json", JSON.stringify({ mcpServers: { ...servers, other: {} } }));
    rmSync(join(home.folder, "bin/claude"));

    const { code, stdout } = await init("--undo", "--json");
    fakeClients();
    const again = await init("--undo", "--json");

    expect([code, JSON.parse(stdout).undone]).toEqual([
      3,
      [
        { what: join(home.folder, ".omp/agent/mcp.json"), state: "removed", message: null },
        {
          what: "mcp of claude-code",
          state: "failed",
          message: expect.stringContaining("claude mcp remove --scope user pond ended with 127"),
        },
        { what: config, state: "kept", message: "it has changed since; pond made it" },
      ],
    ]);
    expect(JSON.parse(read(".omp/agent/mcp.json"))).toEqual({ mcpServers: { other: {} } });
    expect(readFileSync(config, "utf8")).toContain("# mine");
    expect([again.code, JSON.parse(again.stdout).undone]).toEqual([
      0,
      [{ what: "mcp of claude-code", state: "removed", message: null }],
    ]);
  });
});

it("pond init --undo leaves no empty object that init made, even if the file has changed since", async () => {
  home.write(".local/share/opencode/.keep", "");
  home.write(".config/opencode/opencode.json", '{\n  "theme": "x"\n}\n');
  await init("--client", "opencode", "--no-sync", "--no-schedule");
  const text = read(".config/opencode/opencode.json");
  home.write(".config/opencode/opencode.json", text.replace('"x"', '"y"'));

  const { code } = await init("--undo");

  expect(code).toBe(0);
  expect(read(".config/opencode/opencode.json")).toBe('{\n  "theme": "y"\n}\n');
});

it("pond init leaves nothing of a schedule that could not be started", async () => {
  fake(home, "systemctl", 'case $2 in enable) echo "Access denied" >&2; exit 1 ;; esac');

  const { code, report } = await initJson("--client", "codex", "--no-mcp", "--no-sync");
  const { stdout, stderr } = await home.pondWith({ env }, "schedule", "start");
  const undone = await init("--undo");

  expect([code, report.schedule]).toMatchObject([
    3,
    { state: "failed", scheduler: null, message: expect.stringContaining("Access denied") },
  ]);
  expect(readdirSync(join(home.folder, ".config/systemd/user"))).toEqual([]);
  expect([stdout, stderr]).toEqual([
    "",
    expect.stringMatching(/^error: systemctl .* Access denied\n`pond sync` works without /),
  ]);
  expect(undone.stdout).not.toContain("schedule");
});

it("pond init --undo leaves a server alone that somebody else put in the place of pond's", async () => {
  fakeClients();
  home.write(".omp/agent/mcp.json", "{}");
  await init("--client", "omp", "claude-code", "--no-sync", "--no-schedule");
  const theirs = '{"mcpServers":{"pond":{"command":"my-pond","args":["mcp"]}}}';
  for (const file of [".omp/agent/mcp.json", ".claude.json"]) home.write(file, theirs);

  const { code, stdout } = await init("--undo", "--json");

  expect(code).toBe(3);
  expect(JSON.parse(stdout).undone).toMatchObject([
    { what: join(home.folder, ".omp/agent/mcp.json"), state: "kept" },
    { what: "mcp of claude-code", state: "kept" },
    { state: "removed" },
  ]);
  expect([read(".omp/agent/mcp.json"), read(".claude.json")]).toEqual([theirs, theirs]);
});

it("pond init --undo has nothing to do for a server that somebody removed already", async () => {
  fakeClients();
  home.write(".omp/agent/mcp.json", "{}");
  await init("--client", "omp", "claude-code", "--no-sync", "--no-schedule");
  for (const file of [".omp/agent/mcp.json", ".claude.json"])
    home.write(file, '{"mcpServers":{}, "theirs": 1}');

  const { code, stdout } = await init("--undo", "--json");

  expect(code).toBe(0);
  expect(JSON.parse(stdout).undone).toMatchObject([
    { state: "gone" },
    { state: "gone" },
    { state: "removed" },
  ]);
  expect(isThere(stateFile)).toBe(false);
});

it("pond init --undo does not report a server as removed while its client still has it", async () => {
  fakeClients();
  await init("--client", "claude-code", "--no-sync", "--no-schedule");
  fake(home, "claude", 'echo "env: node: not found" >&2; exit 127');

  const { code, stdout } = await init("--undo", "--json");

  expect([code, JSON.parse(stdout).undone[0].state]).toEqual([3, "failed"]);
  expect(read(stateFile)).toContain("claude");
});

it("pond init notices a server in any of the files that opencode reads", async () => {
  home.write(".local/share/opencode/.keep", "");
  home.write(".config/opencode/opencode.jsonc", "{}");
  home.write(".config/opencode/opencode.json", '{ "mcp": { "pond": { "command": ["mine"] } } }');

  const { report } = await initJson("--client", "opencode", "--no-sync", "--no-schedule");

  expect(report.mcp[0].state).toBe("other");
  expect(read(".config/opencode/opencode.jsonc")).toBe("{}");
});

it("pond init does not replace a link that leads nowhere", async () => {
  home.write(".omp/agent/.keep", "");
  symlinkSync("unmounted", join(home.folder, ".omp/agent/mcp.json"));

  const { code, report } = await initJson("--client", "omp", "--no-sync", "--no-schedule");
  const undone = await init("--undo");

  expect([code, report.mcp[0]]).toMatchObject([
    3,
    {
      state: "failed",
      message: expect.stringContaining("is a link to a file that does not exist"),
    },
  ]);
  expect(undone.code).toBe(0);
  expect(readlinkSync(join(home.folder, ".omp/agent/mcp.json"))).toBe("unmounted");
});

it("pond init leaves no copy of a client's file when the client refuses", async () => {
  fake(home, "codex", "exit 1");

  await initJson("--client", "codex", "--no-sync", "--no-schedule");

  expect(readdirSync(join(home.folder, ".codex"))).toEqual(["config.toml"]);
});

it("pond init changes no file that is not UTF-8", async () => {
  const latin1 = Buffer.from('{ // caf\xe9\n "a": 1 }', "latin1");
  for (const file of [".omp/agent/mcp.json", ".config/pond/config.toml"])
    writeFileSync(home.write(file, ""), latin1);
  rmSync(join(home.folder, ".config/pond/config.toml"));

  const { code, report } = await initJson("--client", "omp", "--no-sync", "--no-schedule");
  const config = join(home.folder, ".config/pond/config.toml");
  const comment = Buffer.from('# caf\xe9\nnamespace = "x"\n', "latin1");
  writeFileSync(config, comment);
  const refused = await init("--client", "codex", "--namespace", "y", "--yes", "--no-sync");

  expect([code, report.mcp[0]]).toMatchObject([
    3,
    { state: "failed", message: expect.stringContaining("mcp.json: is not UTF-8") },
  ]);
  expect(readFileSync(join(home.folder, ".omp/agent/mcp.json")).equals(latin1)).toBe(true);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("config.toml: is not UTF-8"),
  ]);
  expect(readFileSync(config).equals(comment)).toBe(true);
});

it.each(["{", '{"actions":[{"kind":"rm"}]}', "[]"])(
  "pond init --undo refuses a journal that holds %s",
  async (text) => {
    home.write(stateFile, text);

    const { code, stderr } = await init("--undo");

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("init.json: is not what pond wrote"),
    ]);
  },
);

it("pond init refuses --undo together with --dry-run", async () => {
  const { code, stderr } = await init("--undo", "--dry-run");

  expect([code, stderr]).toEqual([2, expect.stringContaining("does not go with --dry-run")]);
});

describe("pond init at a terminal", () => {
  async function asked(answers: Partial<Asker>) {
    const questions: string[] = [];
    const asker: Asker = {
      closed: new AbortController().signal,
      confirm: async (question) => {
        questions.push(question);
        return true;
      },
      choose: async (_question, _count, chosen) => [...chosen],
      close: () => undefined,
      ...answers,
    };
    let stdout = "";
    const sink = {
      write: (text: string) => {
        stdout += text;
      },
    };
    const runtime = {
      ...{ stdout: sink, stderr: sink, env: { ...home.env, ...env } },
      ...{ home: home.folder, now: () => home.now },
    };
    const context = await createContext({}, createOutput({}, runtime), runtime);
    const flags = { mcp: true, schedule: true, sync: true };
    const code = await initWith(context, flags, {}, asker);
    return { code, questions, stdout };
  }

  it("asks before each step", async () => {
    env = fakePath(home, "systemctl");
    fakeClients();

    const { code, questions } = await asked({});

    expect([code, questions]).toEqual([
      0,
      [
        "Let claude-code, codex search what pond stores?",
        "Sync every hour in the background, with systemd?",
        "Store the sessions now?",
      ],
    ]);
    expect(read(".claude.json")).toContain("pond");
  });

  it("stops when nobody answers any more", async () => {
    const { code, stdout } = await asked({ closed: AbortSignal.abort() });

    expect([code, stdout]).toEqual([130, "Stopped. Nothing was changed.\n"]);
    expect(isThere(".config/pond")).toBe(false);
  });

  it("skips the steps that are declined", async () => {
    env = fakePath(home, "systemctl");
    fakeClients();

    const { code, stdout } = await asked({ confirm: async () => false });

    expect([code, isThere(stateFile), isThere(".local/share/pond")]).toEqual([0, false, false]);
    expect(stdout).toContain("claude-code: not registered\n");
  });

  it("keeps the sessions of the picked clients only", async () => {
    await asked({ choose: async () => [1] });

    expect(read(".config/pond/config.toml")).toBe("[adapters.claude-code]\nenabled = false\n");
  });

  const pty = "script";
  const isPty = process.platform === "linux" && spawnSync(pty, ["--version"]).status === 0;
  if (!isPty) console.warn("skipped: script(1) of util-linux, for a terminal, is not here");

  /** Types answers, or sends signals, each when its question is there. */
  async function type(...answers: readonly (string | { readonly signal: NodeJS.Signals })[]) {
    const pid = join(home.folder, "init.pid");
    const command = shellLine([process.execPath, ...startOf("main"), "init"]);
    home.write("init.sh", `echo $$ > ${shellLine([pid])}; exec ${command}`);
    const child = spawn(
      pty,
      ["-qec", shellLine(["sh", join(home.folder, "init.sh")]), "/dev/null"],
      {
        env: { ...home.env, ...env, PATH: `${env["PATH"]}:/usr/bin:/bin`, TERM: "xterm" },
      },
    );
    let [stdout, answered] = ["", 0];
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk);
      const asked = stdout.match(/\[(?:Y\/n|1,2)\] /g)?.length ?? 0;
      while (answered < Math.min(asked, answers.length)) {
        const answer = answers[answered++] ?? "";
        if (typeof answer === "string") child.stdin.write(answer);
        else process.kill(Number(readFileSync(pid, "utf8")), answer.signal);
      }
    });
    const [code] = await once(child, "close");
    return { code, stdout };
  }

  it.skipIf(!isPty)("reads typed answers", async () => {
    // Whatever is on the machine: those in the home come first.
    fakePath(home, "systemctl", "crontab");
    fakeClients();

    const { code, stdout } = await type("2\r", "n\r", "n\r", "y\r");

    expect(code).toBe(0);
    expect(stdout).toContain("Let codex search what pond stores? [Y/n]");
    expect(read(".config/pond/config.toml")).toBe("[adapters.claude-code]\nenabled = false\n");
    expect(isThere(".config/systemd")).toBe(false);
    expect(isThere(".local/share/pond/default")).toBe(true);
  });

  it.skipIf(!isPty).each([
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
    ["SIGTERM", { signal: "SIGTERM" } as const],
  ])("stops at %s", async (_, answer) => {
    const { code, stdout } = await type(answer);

    expect([code, stdout]).toEqual([130, expect.stringContaining("Stopped.")]);
    expect(isThere(".config/pond")).toBe(false);
  });

  it("changes nothing when no client is picked", async () => {
    const { stdout } = await asked({ choose: async () => [] });

    expect(stdout).toContain("Nothing was chosen, and nothing was changed.");
    expect(isThere(".config/pond")).toBe(false);
  });
});
