import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, parseJson } from "@pond/canonical";
import { agentPrefix, agentSuffix, agentsFolder, sessionSuffix } from "./layout.ts";

/** The agent that started another one. */
export type AgentParent = {
  readonly log?: string;
  /** True if the descriptor names an agent whose log is missing. */
  readonly isGone: boolean;
};

/**
 * Finds out which agent started another, from their descriptors. Descriptors above are read once
 * for all agents below them that are asked about in a row. A home may have hundreds of thousands of
 * agents, so only what those of one session say is remembered: none descends from another's.
 */
export class AgentParents {
  /** The folder with all agents of the session that is remembered. */
  #folder = "";
  readonly #known = new Map<string, string | undefined>();

  /** Forgets what was read, because the descriptors may have changed. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * The log of the agent that started another one, as that one's descriptor says now. None if it
   * descends from the other itself.
   */
  of(log: string): AgentParent {
    const folder = folderOfAll(log);
    if (folder !== this.#folder) this.forget();
    this.#folder = folder;
    const places = namedPlaces(log);
    const parent = places.find(isThere);
    this.#known.set(log, parent);
    if (parent === undefined) return { isGone: places.length > 0 };
    return this.#isAncestor(log, parent) ? { isGone: false } : { log: parent, isGone: false };
  }

  /** True if the descriptors lead from `log` up to `ancestor`, or both are the same. */
  #isAncestor(ancestor: string, log: string): boolean {
    const seen = new Set<string>();
    let at: string | undefined = log;
    while (at !== undefined && at !== ancestor && !seen.has(at)) {
      seen.add(at);
      if (!this.#known.has(at)) this.#known.set(at, namedPlaces(at).find(isThere));
      at = this.#known.get(at);
    }
    return at === ancestor;
  }
}

/** Says which of the logs exist that may belong to the agent named in a descriptor. */
export function parentState(log: string): string {
  return namedPlaces(log).filter(isThere).join("\0");
}

/**
 * The possible places of the log of the agent that another one's descriptor names; none if it names
 * none.
 */
function namedPlaces(log: string): readonly string[] {
  const descriptor = readJson(`${log.slice(0, -sessionSuffix.length)}${agentSuffix}`);
  const id = isJsonObject(descriptor) ? descriptor["parentAgentId"] : undefined;
  if (typeof id !== "string" || !/^[\w-]+$/.test(id)) return [];
  const name = `${agentPrefix}${id}${sessionSuffix}`;
  return [join(dirname(log), name), join(folderOfAll(log), name)];
}

/**
 * The folder of all agents of a session: those of a workflow are in a deeper one than the agent
 * that ran it.
 */
function folderOfAll(log: string): string {
  const folder = dirname(log);
  return folder.slice(0, folder.lastIndexOf(agentsFolder) + agentsFolder.length);
}

const isThere = (file: string): boolean => existsSync(file);

function readJson(file: string): unknown {
  try {
    // Reading something that is not a file may never end.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
    return parseJson(readFileSync(file, "utf8"));
  } catch {
    // A descriptor that cannot be read is reported with the sidecars.
    return undefined;
  }
}
