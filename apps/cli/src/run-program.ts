import { execFile } from "node:child_process";
import type { Environment } from "./directories.ts";

export type ProgramResult = {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
};

/** The exit code for a program that is not on the PATH, as in a shell. */
export const notFoundCode = 127;

const timeoutMs = 60_000;

/** Runs a program of the PATH until it ends. */
export function runProgram(
  { env }: { readonly env: Environment },
  [program = "", ...words]: readonly string[],
  input?: Buffer,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, encoding: "buffer", timeout: timeoutMs } as const;
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code === "ENOENT" ? notFoundCode : error.code;
      resolve({ code: typeof code === "number" ? code : 1, stdout, stderr: String(stderr) });
    });
    // It may have ended without reading.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
