import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type Extracted, isSystemError, type Origin, openRecord } from "@pond/canonical/adapter";
import { archivedSuffix, isFolderOf, logSuffix } from "./layout.ts";
import { headerOf } from "./log-start.ts";

/**
 * Finds the directory that the sessions of each project's folder worked in, for logs whose headers
 * are lost: the clients derive the folder's name from it. Looked up once for all of them.
 */
export class Directories {
  readonly #origin: Origin;
  readonly #known: Map<string, Extracted<string> | undefined> = new Map();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Forgets what was found, because a session may have begun there. */
  forget(): void {
    this.#known.clear();
  }

  /** Undefined if no header in the folder names one, or two name different ones. */
  of(folder: string): Extracted<string> | undefined {
    if (!this.#known.has(folder)) this.#known.set(folder, directoryIn(folder, this.#origin));
    return this.#known.get(folder);
  }
}

function directoryIn(folder: string, origin: Origin): Extracted<string> | undefined {
  const found = new Map<string, string>();
  for (const log of logsIn(folder)) {
    const cwd = headerOf(log)?.["cwd"];
    // A log copied there from elsewhere says nothing about the folder.
    if (typeof cwd !== "string" || !isFolderOf(basename(folder), cwd)) continue;
    found.set(cwd, log);
    // Names of two directories may map to one folder.
    if (found.size > 1) return undefined;
  }
  const [only] = found;
  if (only === undefined) return undefined;
  const [cwd, uri] = only;
  return openRecord({ adapter: origin, uri, record: 1 }, { cwd }).string("cwd");
}

function logsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(logSuffix) || name.endsWith(archivedSuffix))
      .map((name) => join(folder, name));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
