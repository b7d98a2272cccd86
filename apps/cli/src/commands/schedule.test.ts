import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLaunchd } from "../schedule/launchd.ts";
import { fake, fakePath } from "../schedule/testing.ts";
import { Home, line } from "../testing.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const units = ".config/systemd/user";
const timer = "pond-sync.timer";
const old = new Date("2026-10-01T08:00:00.000Z");
const startNote = ".local/state/pond/schedule-start.json";
const read = (path: string): string => readFileSync(join(home.folder, path), "utf8");
const readAll = (path: string): Buffer => readFileSync(join(home.folder, path));

async function pond(env: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  return home.pondWith({ env }, ...argv);
}

describe("pond schedule with systemd", () => {
  it("writes a timer and starts it", async () => {
    const env = fakePath(home, "systemctl", "crontab");

    const { code, stdout } = await pond(env, "schedule", "start", "--every", "30m", "--json");

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      scheduler: "systemd",
      every: "30m",
      places: [
        join(home.folder, units, "pond-sync.service"),
        join(home.folder, units, "pond-sync.timer"),
      ],
      last_run: null,
      next_run: "2026-11-21T12:17:00.000Z",
      silent_since: null,
      changed: true,
    });
    const service = read(`${units}/pond-sync.service`);
    expect(service).toContain(`ExecStart="${process.execPath}" `);
    expect(service).toMatch(/main\.ts" "schedule" "run" "--quiet"\n/);
    expect(read(`${units}/pond-sync.timer`)).toContain("OnCalendar=*:00/30\n");
    expect(read("systemctl.log").split("\n")).toEqual(
      expect.arrayContaining([
        "--user daemon-reload",
        "--user enable pond-sync.timer",
        "--user restart pond-sync.timer",
      ]),
    );
    expect(existsSync(join(home.folder, "crontab"))).toBe(false);
  });

  it("changes nothing the second time, except the interval when another is asked for", async () => {
    const env = fakePath(home, "systemctl");
    await pond(env, "schedule", "start");

    const again = await pond(env, "schedule", "start", "--json");
    const other = await pond(env, "schedule", "start", "--every", "1d", "--json");

    expect(JSON.parse(again.stdout)).toMatchObject({ every: "1h", changed: false });
    expect(JSON.parse(other.stdout)).toMatchObject({ every: "1d", changed: true });
  });

  it("removes only what it wrote", async () => {
    const env = fakePath(home, "systemctl");
    home.write(`${units}/other.timer`, "[Timer]\n");
    await pond(env, "schedule", "start");

    const stopped = await pond(env, "schedule", "stop", "--json");
    const again = await pond(env, "schedule", "stop");

    expect(JSON.parse(stopped.stdout)).toEqual({ removed: ["systemd"] });
    expect(readdirSync(join(home.folder, units))).toEqual(["other.timer"]);
    expect(read("systemctl.log")).toContain("--user disable --now pond-sync.timer\n");
    expect([again.code, again.stdout]).toEqual([0, "Nothing was scheduled.\n"]);
  });

  it("removes its files even when systemd cannot be reached any more", async () => {
    const env = fakePath(home, "systemctl");
    await pond(env, "schedule", "start");
    const link = home.write(`${units}/timers.target.wants/.keep`, "").replace(".keep", timer);
    symlinkSync(`../${timer}`, link);
    rmSync(join(home.folder, "bin/systemctl"));

    const status = await pond(env, "schedule", "status", "--json");
    const { code } = await pond(env, "schedule", "stop");

    expect(JSON.parse(status.stdout)).toMatchObject({ scheduler: "systemd", next_run: null });
    expect(code).toBe(0);
    expect(readdirSync(join(home.folder, units))).toEqual(["timers.target.wants"]);
    expect(readdirSync(join(home.folder, units, "timers.target.wants"))).toEqual([".keep"]);
  });

  it("leaves somebody else's unit alone", async () => {
    const env = fakePath(home, "systemctl");
    home.write(`${units}/pond-sync.service`, "[Service]\n");

    const { code, stderr } = await pond(env, "schedule", "start");
    await pond(env, "schedule", "stop");

    expect([code, stderr]).toEqual([2, expect.stringContaining("not from pond")]);
    expect(read(`${units}/pond-sync.service`)).toBe("[Service]\n");
  });

  it("reports the message of systemctl when that fails", async () => {
    const env = fakePath(home, "systemctl");
    fake(home, "systemctl", '[ "$2" != daemon-reload ] || { echo "no bus" >&2; exit 4; }');

    const { code, stderr } = await pond(env, "schedule", "start");

    expect(code).toBe(1);
    expect(stderr).toContain("systemctl --user daemon-reload ended with 4: no bus");
  });

  it("passes on the settings that locate the store and the clients, but no secret", async () => {
    const env = {
      ...fakePath(home, "systemctl"),
      POND_STORAGE: "s3://bucket/pond",
      CODEX_HOME: "/data/100% codex",
      AWS_SECRET_ACCESS_KEY: "hush",
    };

    await pond(env, "--namespace", "team", "schedule", "start");

    const service = read(`${units}/pond-sync.service`);
    expect(service).toContain('Environment="POND_STORAGE=s3://bucket/pond"\n');
    expect(service).toContain('Environment="CODEX_HOME=/data/100%% codex"\n');
    expect(service).toContain('"--namespace" "team"\n');
    expect(service).not.toContain("hush");
  });
});

describe("pond schedule with cron", () => {
  // A table need not be UTF-8.
  const others = Buffer.from("# mine\nMAILTO=ada\n5 4 * * * echo caf\xe9 100\\%\n", "latin1");

  it("adds its line and removes it, and keeps all other lines byte for byte", async () => {
    const env = fakePath(home, "crontab");
    writeFileSync(join(home.folder, "crontab"), others);

    const started = await pond(env, "schedule", "start", "--every", "15m", "--json");
    const table = readAll("crontab");
    const again = await pond(env, "schedule", "start", "--every", "15m", "--json");
    const slower = await pond(env, "schedule", "start", "--every", "6h", "--json");
    const lines = read("crontab").split("\n");
    const stopped = await pond(env, "schedule", "stop", "--json");

    expect(JSON.parse(started.stdout)).toMatchObject({
      scheduler: "cron",
      every: "15m",
      places: ["crontab"],
      next_run: null,
    });
    expect(table.subarray(0, others.length)).toEqual(others);
    expect(table.subarray(others.length).toString()).toMatch(
      /^\*\/15 \* \* \* \* .* \/.*main\.ts schedule run --quiet >'?\/.*schedule\.log'? 2>&1 # pond schedule\n$/,
    );
    expect(JSON.parse(again.stdout).changed).toBe(false);
    expect(JSON.parse(slower.stdout)).toMatchObject({ every: "6h", changed: true });
    expect(lines.filter((each) => each.includes("pond schedule"))).toHaveLength(1);
    expect(JSON.parse(stopped.stdout)).toEqual({ removed: ["cron"] });
    expect(readAll("crontab")).toEqual(others);
  });

  it("leaves no empty table behind", async () => {
    const env = fakePath(home, "crontab");
    await pond(env, "schedule", "start");

    await pond(env, "schedule", "stop");

    expect(existsSync(join(home.folder, "crontab"))).toBe(false);
  });

  it("does not treat a table that cannot be read as empty", async () => {
    const env = fakePath(home, "crontab");
    fake(
      home,
      "crontab",
      'echo "$*" >>"$HOME/crontab.log"; printf "ada may\\033[1m not\\n" >&2; exit 1',
    );

    const { code, stderr } = await pond(env, "schedule", "start");

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "error: neither systemd nor cron works here (there is no systemctl; crontab -l ended with 1: ada may␛[1m not): have",
      ),
    ]);
    expect(read("crontab.log")).not.toMatch(/^-$/m);
  });

  it("refuses to write a line that is too long", async () => {
    const env = { ...fakePath(home, "crontab"), CODEX_HOME: `/${"x".repeat(1_000)}` };

    const { code, stderr } = await pond(env, "schedule", "start");

    expect([code, stderr]).toEqual([2, expect.stringContaining("too long")]);
    expect(existsSync(join(home.folder, "crontab"))).toBe(false);
  });

  it("switches from cron to systemd once that works", async () => {
    await pond(fakePath(home, "crontab"), "schedule", "start");

    await pond(fakePath(home, "crontab", "systemctl"), "schedule", "start");

    expect(existsSync(join(home.folder, "crontab"))).toBe(false);
    expect(existsSync(join(home.folder, units, "pond-sync.timer"))).toBe(true);
  });
});

describe("pond schedule with launchd", () => {
  const agent = "Library/LaunchAgents/pond.sync.plist";
  const job = {
    every: "2h",
    command: ["/usr/local/bin/node", "/Users/a & b/<pond>/main.js", "schedule", "run"],
    env: { POND_CONFIG: "/Users/a & b/config.toml" },
    log: "/Users/a & b/schedule.log",
  } as const;

  it("writes an agent, loads it and removes it", async () => {
    const env = { ...home.env, ...fakePath(home, "launchctl") };
    const launchd = createLaunchd({ env, home: home.folder });

    const isNew = await launchd.start(job);
    const text = read(agent);
    const again = await launchd.start(job);
    const installed = await launchd.installed();
    const isStopped = await launchd.stop();

    expect([isNew, again, isStopped]).toEqual([true, false, true]);
    expect(installed).toEqual({
      every: "2h",
      places: [join(home.folder, agent)],
      namesStore: false,
    });
    expect(text).toContain("<string>/Users/a &amp; b/&lt;pond&gt;/main.js</string>");
    expect(text).toContain("<key>StartInterval</key>\n  <integer>7200</integer>");
    expect(existsSync(join(home.folder, agent))).toBe(false);
    expect(await launchd.installed()).toBeUndefined();
    const domain = `gui/${process.getuid?.()}`;
    expect(read("launchctl.log").split("\n")).toEqual(
      expect.arrayContaining([
        `bootstrap ${domain} ${join(home.folder, agent)}`,
        `bootout ${domain}/pond.sync`,
      ]),
    );
  });

  it("loads a changed agent once a sync that runs has ended", async () => {
    const env = { ...home.env, ...fakePath(home, "launchctl") };
    const launchd = createLaunchd({ env, home: home.folder });
    await launchd.start(job);
    // What it says then, in this order: the sync ends while it is asked for the third time.
    fake(
      home,
      "launchctl",
      `case $1 in
  print) [ -e "$HOME/loaded" ] || exit 113
    if [ -e "$HOME/ending2" ]; then /bin/rm "$HOME/ending2" "$HOME/loaded"; fi
    if [ -e "$HOME/ending1" ]; then /bin/mv "$HOME/ending1" "$HOME/ending2"; fi ;;
  bootout) : >"$HOME/ending1"; echo "Boot-out failed: 36: Operation now in progress" >&2; exit 36 ;;
  bootstrap) [ -e "$HOME/loaded" ] || exit 0
    echo "Bootstrap failed: 5: Input/output error" >&2; exit 5 ;;
esac`,
    );

    expect(await launchd.start({ ...job, every: "1h" })).toBe(true);
    expect(read(agent)).toContain("<integer>3600</integer>");
  });
});

describe("pond schedule", () => {
  it("says that nothing is scheduled, and how to start it", async () => {
    const { code, stdout } = await pond(fakePath(home), "schedule", "status");

    expect([code, stdout]).toEqual([0, "Not scheduled: `pond schedule start` starts it.\n"]);
  });

  it("names pond schedule run when no scheduler works here", async () => {
    const { code, stderr } = await pond(fakePath(home), "schedule", "start");

    expect([code, stderr]).toEqual([1, expect.stringContaining("pond schedule run")]);
  });

  it.each(["7m", "90m", "0h", "1w", "often"])("refuses the interval %s", async (every) => {
    const env = fakePath(home, "systemctl");

    const { code, stderr } = await pond(env, "schedule", "start", "--every", every);

    expect([code, stderr]).toEqual([2, expect.stringContaining("5m, 10m, 15m")]);
  });

  it("refuses a path with a line break in it", async () => {
    const env = { ...fakePath(home, "systemctl"), CODEX_HOME: "/a\nExecStart=/bin/evil" };

    const { code } = await pond(env, "schedule", "start");

    expect([code, existsSync(join(home.folder, units))]).toEqual([2, false]);
  });

  it("syncs when it runs, and records the time and the exit code", async () => {
    const env = fakePath(home, "systemctl");
    home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
    await pond(env, "schedule", "start");

    const ran = await pond(env, "schedule", "run", "--quiet");
    const status = await pond(env, "schedule", "status", "--json");
    const listed = await pond(env, "list", "--json");

    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(JSON.parse(status.stdout).last_run).toEqual({
      started_at: "2026-11-20T12:00:00.000Z",
      finished_at: "2026-11-20T12:00:00.000Z",
      exit_code: 0,
    });
    expect(listed.stdout).toContain('"session_id":"s1"');
    expect((await pond(env, "schedule", "status")).stdout).toContain(": done.\n");
  });

  it("records a failed run, too", async () => {
    const env = fakePath(home);
    home.write(".local/share/pond", "in the way");

    const ran = await pond(env, "schedule", "run");
    const { stdout } = await pond(env, "schedule", "status");

    expect(ran.code).not.toBe(0);
    expect(stdout).toContain("failed with exit code");
  });

  // What it starts may be gone: a version of Node that was removed, a pond that moved.
  it.each([
    ["exactly a day and three intervals ago", "2026-11-19T10:30:00.000Z", null],
    ["weeks ago", "2026-10-01T08:00:00.000Z", "2026-10-01T08:00:00.000Z"],
  ])(
    "reports missing runs only when they are overdue, with the last run %s",
    async (_when, at, silent) => {
      const env = fakePath(home, "crontab");
      home.writeSession("s1", line("s1", "a", "one"));
      await pond(env, "sync");
      await pond(env, "schedule", "start", "--every", "30m");
      const run = { started_at: at, finished_at: at, exit_code: 0 };
      home.write(".local/state/pond/schedule.json", JSON.stringify(run));
      home.write(startNote, JSON.stringify({ started_at: old.toISOString() }));

      const json = await pond(env, "schedule", "status", "--json");
      const { stderr } = await pond(env, "schedule", "status");
      const all = await pond(env, "status");

      expect(JSON.parse(json.stdout).silent_since).toBe(silent);
      expect(stderr.includes("`pond schedule start` writes it again")).toBe(silent !== null);
      expect(all.stdout.includes("! The schedule has not run since")).toBe(silent !== null);
    },
  );

  it.each(["systemctl", "crontab"] as const)(
    "reports that the schedule has never run, with %s",
    async (with_) => {
      const env = fakePath(home, with_);
      await pond(env, "schedule", "start");
      home.write(startNote, JSON.stringify({ started_at: old.toISOString() }));

      const { stdout } = await pond(env, "schedule", "status", "--json");

      expect(JSON.parse(stdout).silent_since).toBe(old.toISOString());
    },
  );

  it.each(["systemctl", "crontab"] as const)(
    "does not count the time before the schedule was started as silence, with %s",
    async (program) => {
      const env = fakePath(home, program);
      const at = old.toISOString();
      const run = { started_at: at, finished_at: at, exit_code: 0 };
      home.write(".local/state/pond/schedule.json", JSON.stringify(run));

      const started = await pond(env, "schedule", "start", "--json");

      expect(JSON.parse(started.stdout)).toMatchObject({ silent_since: null, last_run: run });
      const { stdout } = await pond(env, "schedule", "status", "--json");
      expect(JSON.parse(stdout).silent_since).toBe(null);
    },
  );
});
