import { Console } from "node:console";
import { Writable } from "node:stream";

/**
 * Reserves stdout for one writer. Anything else that this process prints there from now on,
 * including a library that was never meant to, goes to stderr. Native code does so on its own.
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
  // The reader has gone. The process learns that from stdout itself.
  own.on("error", () => undefined);
  return own;
}
