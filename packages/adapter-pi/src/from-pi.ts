import type { Reader } from "@pond/canonical/adapter";
import { omp, pi } from "./dialect.ts";
import { createReader, type PiOptions } from "./reader.ts";

/**
 * Reads the sessions of pi below `path`: the client's home (`~/.pi/agent`), its session folder, the
 * folder of one project, or one session file. Touches no file before it is asked.
 */
export function fromPi(path: string, options: PiOptions = {}): Reader {
  return createReader(pi, path, options);
}

/**
 * Reads the sessions of omp below `path`: the client's home (`~/.omp/agent`) with its archive, its
 * session folder or archive, the folder of one project, or one session file with its sub-agents.
 * Touches no file before it is asked.
 */
export function fromOmp(path: string, options: PiOptions = {}): Reader {
  return createReader(omp, path, options);
}
