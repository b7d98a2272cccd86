import { execFile } from "node:child_process";
import type { Environment } from "./directories.ts";

export type Ran = { readonly code: number; readonly stdout: Buffer; readonly stderr: string };

/** The exit code for a program that is not on the PATH, as in a shell. */
export const notFound = 127;

const mostMs = 60_000;

/** Runs a program of the PATH until it ends. */
export function runProgram(
  { env }: { readonly env: Environment },
  [program = "", ...words]: readonly string[],
  input?: Buffer,
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, encoding: "buffer", timeout: mostMs } as const;
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code === "ENOENT" ? notFound : error.code;
      resolve({ code: typeof code === "number" ? code : 1, stdout, stderr: String(stderr) });
    });
    // It may have ended without reading.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
