import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { TemporaryHome } from "./home.test-kit.ts";
import { ompHomes, piHomes } from "./homes.ts";

const temporary = new TemporaryHome();
const below = (paths: readonly string[]) => paths.map((path) => path.replace(temporary.path, "~"));
const pi = (env: Record<string, string> = {}) => below(piHomes({ home: temporary.path, env }));
const omp = (env: Record<string, string> = {}) => below(ompHomes({ home: temporary.path, env }));

/** omp writes the path of a log into a file of its own. */
function noted(at: string, log: string): void {
  temporary.put(`${at}/custom-session-files/${log.replaceAll("/", "-")}`, log);
}

const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;

it("finds pi's home and its session folder by the environment or the settings", () => {
  expect(pi()).toEqual(["~/.pi/agent"]);
  expect(pi({ PI_CODING_AGENT_DIR: "/x/pi" })).toEqual(["/x/pi"]);
  expect(pi({ PI_CODING_AGENT_DIR: "~/pi" })).toEqual(["~/pi"]);
  expect(pi({ PI_CODING_AGENT_SESSION_DIR: "/s" })).toEqual(["~/.pi/agent", "/s"]);

  temporary.put(".pi/agent/settings.json", '{"sessionDir":"~/kept"}');
  expect(pi()).toEqual(["~/.pi/agent", "~/kept"]);
  temporary.put(".pi/agent/settings.json", '{"sessionDir":"mine"}');
  expect(pi()).toEqual(["~/.pi/agent", "~/.pi/agent/mine"]);
  // Editors put a mark before it, which pi does not mind.
  temporary.put(".pi/agent/settings.json", '\ufeff{"sessionDir":"/kept"}');
  expect(pi()).toEqual(["~/.pi/agent", "/kept"]);
  temporary.put(".pi/agent/settings.json", "{");
  expect(pi()).toEqual(["~/.pi/agent"]);
});

it("finds a session folder relative to a project in the projects that pi was told to trust", () => {
  const [loom, mill, gone] = ["loom", "mill", "gone"].map((name) => join(temporary.path, name));
  const not = relative(process.cwd(), temporary.put("not/absolute/.pi/kept/a.jsonl", ""));
  const trust = {
    ...{ [`${loom}`]: true, [`${mill}`]: false, [`${gone}`]: null },
    [dirname(dirname(dirname(not)))]: true,
  };
  temporary.put(".pi/agent/trust.json", JSON.stringify(trust));
  temporary.put(".pi/agent/settings.json", '{"sessionDir":".pi/kept"}');
  temporary.put("loom/.pi/kept/a.jsonl", "");
  temporary.put("mill/.pi/settings.json", '{"sessionDir":"own"}');
  temporary.put("mill/.pi/kept/a.jsonl", "");
  temporary.put("mill/own/a.jsonl", "");

  expect(pi()).toEqual(["~/.pi/agent", "~/.pi/agent/.pi/kept", "~/loom/.pi/kept", "~/mill/own"]);
  // What the environment says goes before all settings.
  expect(pi({ PI_CODING_AGENT_SESSION_DIR: "/s" })).toEqual(["~/.pi/agent", "/s"]);
  expect(pi({ PI_CODING_AGENT_SESSION_DIR: ".pi/kept" })).toEqual([
    "~/.pi/agent",
    "~/.pi/agent/.pi/kept",
    "~/loom/.pi/kept",
    "~/mill/.pi/kept",
  ]);

  temporary.put(".pi/agent/settings.json", '{"sessionDir":"/kept"}');
  expect(pi()).toEqual(["~/.pi/agent", "/kept", "~/mill/own"]);
  temporary.put(".pi/agent/trust.json", "[1]");
  expect(pi()).toEqual(["~/.pi/agent", "/kept"]);
});

it("finds a session folder that is given as a file URL, as pi does", () => {
  temporary.put(".pi/agent/settings.json", '{"sessionDir":"file:///kept%20here"}');
  expect(pi()).toEqual(["~/.pi/agent", "/kept here"]);

  temporary.put(".pi/agent/settings.json", '{"sessionDir":"file://elsewhere/kept"}');
  expect(pi()).toEqual(["~/.pi/agent"]);
});

it("does not name a session folder that is read with pi's home", () => {
  for (const sessionDir of ["~/.pi/agent/sessions", "~/.pi/agent/sessions/loom", "sessions"]) {
    temporary.put(".pi/agent/settings.json", JSON.stringify({ sessionDir }));
    expect(pi()).toEqual(["~/.pi/agent"]);
  }
});

it("does not wait for settings that are a pipe", () => {
  const settings = temporary.put(".pi/agent/settings.json", "");
  rmSync(settings);
  execFileSync("mkfifo", [settings]);
  const writer = spawn("sh", ["-c", 'echo \'{"sessionDir":"~/kept"}\' > "$0"', settings]);

  expect(pi()).toEqual(["~/.pi/agent"]);
  writer.kill();
});

it("finds omp's home, the homes of its profiles, and homes that the user moved", () => {
  expect(omp()).toEqual(["~/.omp/agent"]);
  expect(omp({ PI_CONFIG_DIR: ".mine" })).toEqual(["~/.mine/agent"]);
  expect(omp({ OMP_PROFILE: "work" })).toEqual(["~/.omp/profiles/work/agent", "~/.omp/agent"]);

  mkdirSync(join(temporary.path, ".omp/profiles/play/agent"), { recursive: true });
  mkdirSync(join(temporary.path, "data/omp/sessions"), { recursive: true });

  expect(omp({ XDG_DATA_HOME: join(temporary.path, "data") })).toEqual([
    "~/data/omp",
    "~/.omp/agent",
    "~/.omp/profiles/play/agent",
  ]);
});

it("finds the sessions of omp's security scans, in a folder for each repository", () => {
  mkdirSync(join(temporary.path, ".omp/security/loom-1/sessions"), { recursive: true });
  mkdirSync(join(temporary.path, ".omp/security/never-scanned/plans"), { recursive: true });
  mkdirSync(join(temporary.path, ".omp/profiles/play/security/loom-1/sessions"), {
    recursive: true,
  });
  mkdirSync(join(temporary.path, "state/omp/security/mill-2/sessions"), { recursive: true });
  mkdirSync(join(temporary.path, "state/omp/profiles/play/security/mill-2/sessions"), {
    recursive: true,
  });
  const scans = ["~/.omp/security/loom-1", "~/.omp/profiles/play/security/loom-1"];
  const moved = ["~/state/omp/security/mill-2", "~/state/omp/profiles/play/security/mill-2"];
  const agents = ["~/.omp/agent", "~/.omp/profiles/play/agent"];
  const own = join(temporary.path, "own/.omp");

  expect(omp()).toEqual([...agents, ...scans]);
  expect(omp({ XDG_STATE_HOME: join(temporary.path, "state") })).toEqual([
    ...agents,
    ...scans,
    ...moved,
  ]);
  // That variable moves the agents' folder alone.
  expect(omp({ PI_CODING_AGENT_DIR: own })).toEqual(["~/own/.omp", ...scans]);
});

it("finds each log that omp was told to keep elsewhere, if it is still there", () => {
  const at = (path: string) => join(temporary.path, path);
  const logs = ["work/a.jsonl", "work/b.jsonl", "mill/c.jsonl", ".omp/collab/room.jsonl"];
  for (const log of logs) temporary.put(log, "");
  temporary.put(".omp/security/loom-1/sessions/x.jsonl", "");
  temporary.put("work/not-a-log.txt", "");
  for (const log of ["work/a.jsonl", "work/gone.jsonl", "work/not-a-log.txt"]) {
    noted(".omp/agent", at(log));
  }
  noted(".omp/agent", "work/b.jsonl");
  // Copies of what others host, and what its own folder gives.
  noted(".omp/agent", at(".omp/collab/room.jsonl"));
  noted(".omp/agent", at(".omp/security/loom-1/sessions/x.jsonl"));
  noted("state/omp", at("mill/c.jsonl"));
  noted("state/omp", at("work/a.jsonl"));

  expect(omp()).toEqual(["~/.omp/agent", "~/.omp/security/loom-1", "~/work/a.jsonl"]);
  expect(omp({ XDG_STATE_HOME: at("state") })).toEqual([
    "~/.omp/agent",
    "~/.omp/security/loom-1",
    "~/work/a.jsonl",
    "~/mill/c.jsonl",
  ]);
});

it("finds logs that omp was told to keep in its own folders if no other home holds them", () => {
  const logs = [
    ".omp/agent/kept/a.jsonl",
    ".omp/profiles/play/b.jsonl",
    ".omp/wt/loom/kept/c.jsonl",
    "state/omp/d.jsonl",
  ];
  for (const log of logs) noted(".omp/agent", temporary.put(log, ""));

  expect(omp({ XDG_STATE_HOME: join(temporary.path, "state") })).toEqual([
    "~/.omp/agent",
    "~/.omp/profiles/play/agent",
    ...logs.map((log) => `~/${log}`),
  ]);
});

it("does not find a log twice that is read with its home, wherever the home was moved", () => {
  const data = join(temporary.path, "data");
  const stem = "2026-03-16T08-00-00-000Z_s1";
  const logs = [
    "data/omp/sessions/-loom/a.jsonl",
    `data/omp/${stem}.jsonl`,
    "data/omp/archive/sessions/-loom/b.jsonl",
    ".omp/profiles/play/agent/sessions/-loom/c.jsonl",
    // A sub-agent is read with its session.
    `work/${stem}.jsonl`,
    `work/${stem}/Reader.jsonl`,
  ];
  for (const log of logs) noted(".omp/agent", temporary.put(log, ""));
  symlinkSync(data, join(temporary.path, "linked"));
  noted(".omp/agent", join(temporary.path, "linked/omp/sessions/-loom/a.jsonl"));
  // No log, whatever its name.
  mkdirSync(join(temporary.path, "work/folder.jsonl"));
  noted(".omp/agent", join(temporary.path, "work/folder.jsonl"));

  expect(omp({ XDG_DATA_HOME: data })).toEqual([
    "~/data/omp",
    "~/.omp/agent",
    "~/.omp/profiles/play/agent",
    `~/work/${stem}.jsonl`,
  ]);
});

it("finds the other logs if a note or a folder of omp's is damaged", () => {
  noted(".omp/agent", temporary.put("work/a.jsonl", ""));
  truncateSync(temporary.put(".omp/agent/custom-session-files/huge", ""), 2 ** 32);
  temporary.put(".omp/agent/custom-session-files/nul", "/work/\0.jsonl");
  temporary.put(".omp/agent/custom-session-files/long", `/${"a".repeat(5000)}.jsonl`);
  for (const name of ["security", "profiles"]) {
    symlinkSync(name, join(temporary.path, ".omp", name));
  }

  expect(omp()).toEqual(["~/.omp/agent", "~/work/a.jsonl"]);
});

it.skipIf(becomeNobody === undefined)(
  "lists folders of omp's that may not be read as homes, so that their readers report them",
  () => {
    const closed = [".omp/profiles", ".omp/security", ".omp/agent/custom-session-files"];
    for (const folder of closed) {
      mkdirSync(join(temporary.path, folder), { recursive: true });
      chmodSync(join(temporary.path, folder), 0);
    }
    chmodSync(temporary.path, 0o755);

    becomeNobody?.(65534);
    try {
      expect(omp()).toEqual(["~/.omp/agent", ...closed.map((folder) => `~/${folder}`)]);
    } finally {
      becomeNobody?.(0);
    }
  },
);

it("takes no file for a folder of scans or of profiles", () => {
  temporary.put(".omp/security", "");
  temporary.put(".omp/profiles", "");

  expect(omp()).toEqual(["~/.omp/agent"]);
});

it.each(["", " ", "default", " default ", "../x", "No"])(
  "invents no home for the profile %j, which is none",
  (name) => {
    expect(omp({ OMP_PROFILE: name, PI_PROFILE: "work" })).toEqual(["~/.omp/agent"]);
  },
);

it("puts the home of a named profile first, wherever its data were moved", () => {
  const data = join(temporary.path, "data");
  const folder = join(temporary.path, "own/.omp");
  const env = { OMP_PROFILE: " work ", PI_CODING_AGENT_DIR: folder, XDG_DATA_HOME: data };
  const usual = "~/.omp/profiles/work/agent";
  expect(omp(env)).toEqual([usual, "~/own/.omp", "~/.omp/agent"]);

  mkdirSync(join(data, "omp/profiles/play"), { recursive: true });
  const [current, ...others] = omp(env);
  expect(current).toBe(usual);
  expect(others).toEqual(["~/own/.omp", "~/data/omp", "~/.omp/agent", "~/data/omp/profiles/play"]);

  mkdirSync(join(data, "omp/profiles/work"));
  expect(omp(env)[0]).toBe("~/data/omp/profiles/work");
  expect(omp({ XDG_DATA_HOME: data })).toEqual([
    "~/data/omp",
    "~/.omp/agent",
    "~/data/omp/profiles/play",
    "~/data/omp/profiles/work",
  ]);
});

it("gives a folder that is set for both pi and omp to the client that left its traces in it", () => {
  const folder = join(temporary.path, "shared");
  const env = { PI_CODING_AGENT_DIR: folder };
  expect([pi(env), omp(env)]).toEqual([["~/shared"], ["~/.omp/agent"]]);

  mkdirSync(join(folder, "blobs"), { recursive: true });

  expect([pi(env), omp(env)]).toEqual([["~/.pi/agent"], ["~/shared"]]);
});
