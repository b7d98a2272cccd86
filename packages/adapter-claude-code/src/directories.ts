import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Extracted, isSystemError } from "@pond/canonical/adapter";
import { type Head, headOf } from "./head.ts";
import { isSlugOf, sessionPath, sessionSuffix } from "./layout.ts";
import { type LogOptions, readLog } from "./read-log.ts";

/**
 * Finds the directory that the sessions of each folder worked in, for logs that name none: the
 * client derives the folder's name from it. Looked up once for all of them.
 */
export class Directories {
  readonly #projects: string;
  readonly #known = new Map<string, Promise<Extracted<string> | undefined>>();

  constructor(projects: string) {
    this.#projects = projects;
  }

  /** Forgets what was found, because a session may have begun there. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * The directory of a main session's folder; undefined if no session names one, or two name
   * different ones.
   */
  of(key: string, options: LogOptions): Promise<Extracted<string> | undefined> {
    const path = sessionPath(key);
    if (path === undefined || path.root !== undefined) return Promise.resolve(undefined);
    const { slug } = path;
    const known = this.#known.get(slug) ?? directoryIn(this.#projects, slug, options);
    this.#known.set(slug, known);
    return known;
  }
}

async function directoryIn(
  projects: string,
  slug: string,
  options: LogOptions,
): Promise<Extracted<string> | undefined> {
  const folder = join(projects, slug);
  const found = new Map<string, Extracted<string>>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // A link may lead to anything, and reading a pipe may never end.
    if (!entry.isFile() || !entry.name.endsWith(sessionSuffix)) continue;
    const { project, directory } = await startOf(join(folder, entry.name), options);
    if (!project || directory === undefined || !isSlugOf(slug, directory)) continue;
    found.set(directory, project);
    if (found.size > 1) return undefined;
  }
  const [only] = found.values();
  return only;
}

/** What a log says until it names a directory; a log that cannot be read says nothing. */
async function startOf(file: string, options: LogOptions): Promise<Head> {
  let head = headOf([]);
  try {
    for await (const entries of readLog(file, { ...options, chunkBytes: 16 * 1024 })) {
      head = headOf(entries, head);
      if (head.directory !== undefined) break;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isSystemError(error)) throw error;
  }
  return head;
}
