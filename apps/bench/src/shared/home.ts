import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median } from "./percentile.ts";
import type { TimeSpent } from "./stopwatch.ts";

/** One run of the built command. */
export type Run = TimeSpent & { readonly peakMb: number; readonly stdout: string };

/** The built command. */
export const pondMain: string = resolve(import.meta.dirname, "../../../cli/dist/main.js");

/** A throw-away home with the built command in it. */
export class Home {
  readonly folder: string;

  /** @param parent - Where its folder is made; by default where temporary folders belong. */
  constructor(parent: string = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "pond-bench-"));
  }

  get storage(): string {
    return join(this.folder, "data", "pond", "default");
  }

  /** A world of its own: no settings, stores or caches except those in it. */
  get env(): Readonly<Record<string, string>> {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.folder,
      XDG_DATA_HOME: join(this.folder, "data"),
      XDG_STATE_HOME: join(this.folder, "state"),
      XDG_CONFIG_HOME: join(this.folder, "config"),
      XDG_CACHE_HOME: join(this.folder, "cache"),
    };
  }

  /** @throws {Error} unless the command ends well; 3 only says that the source has faults. */
  pond(...args: readonly string[]): Run {
    const usage = join(this.folder, "usage.json");
    // The system's figure for the memory of a process includes whatever started it; its own peak is
    // in its status.
    const note = `import fs from "node:fs"; process.on("exit", () => fs.writeFileSync(${JSON.stringify(usage)}, JSON.stringify({ ...process.resourceUsage(), status: fs.readFileSync("/proc/self/status", "utf8") })))`;
    const startedMs = performance.now();
    const {
      status: code,
      stdout,
      stderr,
    } = spawnSync(
      process.execPath,
      [`--import=data:text/javascript,${encodeURIComponent(note)}`, pondMain, ...args],
      { encoding: "utf8", maxBuffer: 1 << 30, env: this.env },
    );
    const wallMs = performance.now() - startedMs;
    if (code !== 0 && code !== 3) throw new Error(`pond ${args.join(" ")}: ${stderr}`);
    const { userCPUTime, systemCPUTime, status } = JSON.parse(readFileSync(usage, "utf8"));
    const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
    const cpuMs = (userCPUTime + systemCPUTime) / 1000;
    return { wallMs, cpuMs, peakMb: Number(peakKb) / 1024, stdout };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The medians of several runs. */
export function medianRun(times: number, run: () => Run): TimeSpent {
  const runs = Array.from({ length: times }, run);
  return {
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
  };
}
