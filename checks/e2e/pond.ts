import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const main = resolve("apps/cli/src/main.ts");

export type Finished = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A throw-away home with the real command in it. */
export type Home = {
  readonly folder: string;
  /** Runs the command to its end. */
  pond(...args: readonly string[]): Promise<Finished>;
  /** Starts it and lets go of it. */
  start(...args: readonly string[]): ChildProcess;
  remove(): void;
};

export function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "pond-e2e-"));
  const start = (...args: readonly string[]): ChildProcess =>
    spawn(process.execPath, ["--conditions=@pond/source", main, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        XDG_DATA_HOME: join(folder, "data"),
        XDG_STATE_HOME: join(folder, "state"),
        XDG_CONFIG_HOME: join(folder, "config"),
        XDG_CACHE_HOME: join(folder, "cache"),
      },
    });
  return {
    folder,
    start,
    pond: (...args) => finished(start(...args)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}
