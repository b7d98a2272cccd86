import { Console } from "node:console";
import { Writable } from "node:stream";

/**
 * Takes stdout for one writer alone: whatever else of this process prints there, a library that was
 * never meant to among it, prints to stderr from now on. Native code does so on its own.
 */
export function takeStdout({
  stdout,
  stderr,
}: Pick<NodeJS.Process, "stdout" | "stderr">): Writable {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr);
  const own = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _, done) => void write(chunk, (error) => done(error)),
  });
  // Whoever reads has gone; the process hears of it from stdout itself.
  own.on("error", () => undefined);
  return own;
}
