import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, parseJson } from "@pond/canonical";
import { agentPrefix, agentSuffix, agentsFolder, sessionSuffix } from "./layout.ts";

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
   * The log of the agent that started another, as its descriptor says now; undefined where that one's
   * log is not there, and where it descends from the other itself: those belong to no session that is
   * restored.
   */
  of(log: string): string | undefined {
    const parent = namedParent(log);
    this.#known.set(log, parent);
    return parent === undefined || this.#isAncestor(log, parent) ? undefined : parent;
  }

  /** True where the descriptors lead from `log` up to `ancestor`; both may be one. */
  #isAncestor(ancestor: string, log: string): boolean {
    const seen = new Set<string>();
    let at: string | undefined = log;
    while (at !== undefined && at !== ancestor && !seen.has(at)) {
      seen.add(at);
      if (!this.#known.has(at)) this.#known.set(at, namedParent(at));
      at = this.#known.get(at);
    }
    return at === ancestor;
  }
}

/** The log of the agent that the descriptor of another names, where it is there. */
function namedParent(log: string): string | undefined {
  const descriptor = readJson(`${log.slice(0, -sessionSuffix.length)}${agentSuffix}`);
  const id = isJsonObject(descriptor) ? descriptor["parentAgentId"] : undefined;
  if (typeof id !== "string" || !/^[\w-]+$/.test(id)) return undefined;
  const folder = dirname(log);
  // Agents of a workflow lie deeper than the one that ran it.
  const above = folder.slice(0, folder.lastIndexOf(agentsFolder) + agentsFolder.length);
  const name = `${agentPrefix}${id}${sessionSuffix}`;
  return [join(folder, name), join(above, name)].find((file) => existsSync(file));
}

function readJson(file: string): unknown {
  try {
    // What is no file may never end.
    if (!statSync(file).isFile()) return undefined;
    return parseJson(readFileSync(file, "utf8"));
  } catch {
    // A descriptor that cannot be read is reported with the sidecars.
    return undefined;
  }
}
