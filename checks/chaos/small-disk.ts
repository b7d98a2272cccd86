import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Trial } from "./fault.ts";

/** Why no file system can be mounted here; undefined if one can. */
export function noMounting(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux mounts";
  const folder = mkdtempSync(join(tmpdir(), "pond-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  if (status === 0) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return status === 0 ? undefined : "mount is refused here";
}

/** A folder on a disk of its own, which can be small, full or read-only. */
export class SmallDisk {
  readonly #folder: string;

  /** Moves the content of the folder to a disk with `spareBytes` left. */
  constructor(folder: string, spareBytes: number, trial: Trial) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    const aside = `${folder}.aside`;
    cpSync(folder, aside, { recursive: true, preserveTimestamps: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=512m", "tmpfs", folder]);
    trial.defer(() => execFileSync("umount", ["-l", folder]));
    cpSync(aside, folder, { recursive: true, preserveTimestamps: true });
    rmSync(aside, { recursive: true });
    this.#remount(`size=${this.#usedKilobytes() + Math.ceil(spareBytes / 1024)}k`);
  }

  makeReadOnly(): void {
    this.#remount("ro");
  }

  /** Makes the disk writable, with room for everything. */
  repair(): void {
    this.#remount("rw,size=512m");
  }

  #usedKilobytes(): number {
    const output = execFileSync("df", ["-k", "--output=used", this.#folder], { encoding: "utf8" });
    return Number(output.trim().split("\n").at(-1));
  }

  #remount(options: string): void {
    execFileSync("mount", ["-o", `remount,${options}`, this.#folder]);
  }
}
