import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

type Run = { readonly stdout: string; readonly stderr: string };

/** A home directory for one run of a client, which neither sees nor changes the user's files. */
export type ThrowAwayHome = {
  readonly folder: string;
  /** An empty folder to work in. */
  readonly work: string;
  /** Starts a program to talk to. It is killed after some milliseconds, by default after 90 s. */
  start(program: string, args: readonly string[], timeout?: number): ChildProcess;
  /** Runs a program to its end. @throws {Error} with its output, if it fails. */
  run(program: string, args: readonly string[]): Promise<Run>;
  remove(): void;
};

/** `environment` is all that a client gets besides the path and the usual directories. */
export function createThrowAwayHome(
  environment: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): ThrowAwayHome {
  // Clients name the real one, and on macOS the folder for such files is behind a link.
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "pond-client-")));
  const work = join(folder, "work");
  mkdirSync(work);
  const options = {
    cwd: work,
    timeout: 90_000,
    env: {
      // Clients written for Node use the one that runs the tests.
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      // Some clients use git to ask a registry for plugins at every start.
      GIT_ALLOW_PROTOCOL: "file",
      // Clients built with Bun run for seconds, but would compile as if they ran for hours.
      BUN_JSC_useDFGJIT: "0",
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, ".config"),
      XDG_DATA_HOME: join(folder, ".local", "share"),
      XDG_STATE_HOME: join(folder, ".local", "state"),
      XDG_CACHE_HOME: join(folder, ".cache"),
      ...environment(folder),
    },
  };
  return {
    folder,
    work,
    start: (program, args, timeout = options.timeout) =>
      spawn(program, args, { ...options, timeout, stdio: "pipe" }),
    run: async (program, args) => {
      // Some clients exit before a pipe has taken all their output.
      const [stdout, stderr] = [join(folder, ".stdout"), join(folder, ".stderr")];
      const files = [openSync(stdout, "w"), openSync(stderr, "w")] as const;
      const child = spawn(program, args, { ...options, stdio: ["ignore", ...files] });
      for (const file of files) closeSync(file);
      const end = await endOf(child);
      const run = { stdout: readFileSync(stdout, "utf8"), stderr: readFileSync(stderr, "utf8") };
      if (end === 0) return run;
      const said = `${run.stderr}\n${run.stdout}`.slice(0, 4_000);
      throw new Error(`${[program, ...args].join(" ")}: ended with ${end}\n${said}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) => done(code ?? signal));
  });
}
