import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LockedError, NoLockError } from "./lock.ts";
import { savePhiCoreSession } from "./save.ts";

// As it is before a test leaves little of its PATH.
const env = { ...process.env };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-phi-core-"));
  file = join(folder, "it's; $(touch x).json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Another program that holds the lock as the library does, until its input ends. */
async function holdLock() {
  const script =
    "import fcntl,sys; f=open(sys.argv[1],'a'); fcntl.flock(f,fcntl.LOCK_EX); print('held',flush=True); sys.stdin.read()";
  const holder = spawn("python3", ["-c", script, `${file}.lock`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  return async () => {
    holder.stdin.end();
    await once(holder, "close");
  };
}

it("replaces a session file and leaves its lock file behind, as the library does", async () => {
  writeFileSync(file, "old");

  await savePhiCoreSession(file, ["n", new Uint8Array([101]), "w"]);

  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(folder).sort()).toEqual([
    "it's; $(touch x).json",
    "it's; $(touch x).json.lock",
  ]);
});

it("waits while another program holds the lock", async () => {
  const release = await holdLock();
  const saved = savePhiCoreSession(file, ["mine"]);

  const first = await Promise.race([
    saved.then(() => "saved"),
    once(process, "x", { signal: AbortSignal.timeout(200) }).catch(() => "waiting"),
  ]);
  await release();
  await saved;

  expect(first).toBe("waiting");
  expect(readFileSync(file, "utf8")).toBe("mine");
});

it("gives up after the set time if the lock stays held, and writes nothing", async () => {
  const release = await holdLock();

  await expect(savePhiCoreSession(file, ["mine"], { patienceMs: 120 })).rejects.toThrow(
    LockedError,
  );

  await release();
  expect(readdirSync(folder)).toEqual(["it's; $(touch x).json.lock"]);
});

it("keeps the old session and releases the lock if writing the new session fails", async () => {
  writeFileSync(file, "old");
  const broken = function* () {
    yield "half";
    throw new Error("broke off");
  };

  await expect(savePhiCoreSession(file, broken())).rejects.toThrow("broke off");

  expect(readFileSync(file, "utf8")).toBe("old");
  await savePhiCoreSession(file, ["whole"]);
  expect(readdirSync(folder)).toHaveLength(2);
});

it("leaves one writer's content whole when several write at once", async () => {
  await Promise.all(["a", "b", "c"].map((text) => savePhiCoreSession(file, [text.repeat(1000)])));

  expect(readFileSync(file, "utf8")).toMatch(/^(a{1000}|b{1000}|c{1000})$/);
});

/** What a program sees that takes the lock as the library does. */
function lockState(): string {
  const script =
    "import fcntl,sys\nf=open(sys.argv[1],'a')\ntry: fcntl.flock(f,fcntl.LOCK_EX|fcntl.LOCK_NB); print('free')\nexcept BlockingIOError: print('taken')";
  return spawnSync("python3", ["-c", script, `${file}.lock`], {
    encoding: "utf8",
    env,
  }).stdout.trim();
}

// macOS has no `flock`, and every program here sees the locks of the other.
describe.each([
  { holder: "flock", programs: ["flock", "sh", "cat"] },
  { holder: "perl", programs: ["perl"] },
])("with only $holder on the PATH", ({ programs }) => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), "pond-path-"));
    for (const each of programs) symlinkSync(which(each), join(path, each));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(path, { recursive: true, force: true });
  });

  it("takes the lock that other programs take, and releases it", async () => {
    vi.stubEnv("PATH", path);
    const states: string[] = [];
    const content = function* () {
      states.push(lockState());
      yield "mine";
    };

    await savePhiCoreSession(file, content());
    states.push(lockState());

    expect(states).toEqual(["taken", "free"]);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("gives up after the set time while another program holds it", async () => {
    const release = await holdLock();
    vi.stubEnv("PATH", path);

    const saved = savePhiCoreSession(file, ["mine"], { patienceMs: 1 });

    await expect(saved).rejects.toThrow(LockedError);
    await release();
  });

  it("tells a lock file that cannot be opened from a lock that is held", async () => {
    symlinkSync(join(folder, "nowhere", "lock"), `${file}.lock`);
    vi.stubEnv("PATH", path);

    const saved = savePhiCoreSession(file, ["mine"]);

    await expect(saved).rejects.toThrow(NoLockError);
    await expect(saved).rejects.toThrow(/cannot open lock file/);
  });
});

function which(program: string): string {
  const { stdout } = spawnSync("sh", ["-c", `command -v "$0"`, program], { encoding: "utf8" });
  return stdout.trim();
}

it("names the missing programs and writes nothing if there is neither `flock` nor `perl`", async () => {
  vi.stubEnv("PATH", folder);
  try {
    const saved = savePhiCoreSession(file, ["mine"]);

    await expect(saved).rejects.toThrow(NoLockError);
    await expect(saved).rejects.toThrow(/`flock` program of util-linux.*`perl`/);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(readdirSync(folder)).toEqual([]);
});
