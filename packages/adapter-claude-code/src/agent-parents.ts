import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, parseJson } from "@pond/canonical";
import { agentPrefix, agentSuffix, agentsFolder, sessionSuffix } from "./layout.ts";

/** The agent that started another. */
export type AgentParent = {
  readonly log?: string;
  /** True where one is named whose log is not there. */
  readonly isGone: boolean;
};

/**
 * Which agent started another, as descriptors name it. Those above are read once for all that are
 * below them.
 */
export class AgentParents {
  readonly #known = new Map<string, string | undefined>();

  /** Reads the descriptors anew: they may be others by now. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * The log of the agent that started another, as its descriptor says now. None where it descends
   * from the other itself.
   */
  of(log: string): AgentParent {
    const places = namedPlaces(log);
    const parent = places.find(isThere);
    this.#known.set(log, parent);
    if (parent === undefined) return { isGone: places.length > 0 };
    return this.#isAncestor(log, parent) ? { isGone: false } : { log: parent, isGone: false };
  }

  /** True where the descriptors lead from `log` up to `ancestor`; both may be one. */
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

/** Which of the logs are there that may be of the agent which a descriptor names. */
export function parentState(log: string): string {
  return namedPlaces(log).filter(isThere).join("\0");
}

/** Where the log of the agent may lie that the descriptor of another names; none where it names none. */
function namedPlaces(log: string): readonly string[] {
  const descriptor = readJson(`${log.slice(0, -sessionSuffix.length)}${agentSuffix}`);
  const id = isJsonObject(descriptor) ? descriptor["parentAgentId"] : undefined;
  if (typeof id !== "string" || !/^[\w-]+$/.test(id)) return [];
  const folder = dirname(log);
  // Agents of a workflow lie deeper than the one that ran it.
  const above = folder.slice(0, folder.lastIndexOf(agentsFolder) + agentsFolder.length);
  const name = `${agentPrefix}${id}${sessionSuffix}`;
  return [join(folder, name), join(above, name)];
}

const isThere = (file: string): boolean => existsSync(file);

function readJson(file: string): unknown {
  try {
    // What is no file may never end.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
    return parseJson(readFileSync(file, "utf8"));
  } catch {
    // A descriptor that cannot be read is reported with the sidecars.
    return undefined;
  }
}
