import { lstatSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import { type FolderEntry, listFolder, withoutFaults } from "@pond/canonical/adapter";
import { fault } from "./faults.ts";
import {
  agentPrefix,
  agentSuffix,
  agentsFolder,
  type Root,
  type SessionPath,
  sessionPath,
  sessionSuffix,
} from "./layout.ts";
import { origin } from "./origin.ts";

/** A file that belongs to a session but is not a session itself. */
export type SidecarFile = {
  readonly file: string;
  /** Its path below the project folder. */
  readonly path: string;
};

/** The files of one session. */
export type SessionFiles = {
  readonly kind: "files";
  /** Path below `projects`. */
  readonly key: string;
  readonly file: string;
  readonly sidecars: readonly SidecarFile[];
};

/**
 * Every session below the root with its files, and a fault for anything else in a session's place.
 */
export function* discover({ projects, slug, key }: Root): Generator<SessionFiles | FaultEvent> {
  if (key !== undefined) return yield* discoverOne(projects, key);
  if (slug !== undefined) return yield* discoverProject(projects, slug);
  for (const entry of yield* listFolder(origin, projects, projects)) {
    if (isFolder(entry)) yield* discoverProject(projects, entry.name);
    else if (entry.name.endsWith(sessionSuffix)) {
      yield fault(join(projects, entry.name), "a session outside of any project folder");
    }
  }
}

function* discoverOne(projects: string, key: string): Generator<SessionFiles | FaultEvent> {
  const files = filesOf(projects, key);
  const path = sessionPath(key);
  if (files === undefined || path === undefined) return;
  yield files;
  if (path.root === undefined && !path.isOldAgent) {
    yield* (yield* discoverSessionFolder(projects, path.slug, path.name)).agents;
  }
}

/** The sessions below one project folder, each with its sidecars, sorted by name. */
function* discoverProject(projects: string, slug: string): Generator<SessionFiles | FaultEvent> {
  const folder = join(projects, slug);
  const entries = yield* listFolder(origin, folder, projects);
  const folders = new Set(entries.filter(isFolder).map(({ name }) => name));
  const files = entries.filter(isFile).map(({ name }) => name);
  const descriptors = new Set(files.filter((name) => name.endsWith(agentSuffix)));
  for (const name of files) {
    if (!name.endsWith(sessionSuffix)) continue;
    const stem = name.slice(0, -sessionSuffix.length);
    if (stem === "") {
      yield fault(join(folder, name), "a session without a name");
      continue;
    }
    const session = { kind: "files", key: `${slug}/${name}`, file: join(folder, name) } as const;
    if (name.startsWith(agentPrefix)) {
      const meta = descriptorOf(name);
      const sidecars = descriptors.has(meta) ? [{ file: join(folder, meta), path: meta }] : [];
      yield { ...session, sidecars };
    } else {
      const contents = folders.delete(stem)
        ? yield* discoverSessionFolder(projects, slug, stem)
        : emptyFolder;
      yield { ...session, sidecars: contents.sidecars };
      yield* contents.agents;
    }
  }
  for (const name of folders) {
    if (name.endsWith(sessionSuffix)) yield fault(join(folder, name), "a folder, not a file");
    else if (name !== "memory") yield* discoverOrphanedAgents(projects, slug, name);
  }
}

/** The agents of a session that the client deleted, or that somebody moved; nothing else. */
function* discoverOrphanedAgents(
  projects: string,
  slug: string,
  name: string,
): Generator<SessionFiles | FaultEvent> {
  const { agents, sidecars } = yield* discoverSessionFolder(projects, slug, name);
  yield* agents;
  const logs = sidecars.filter(
    ({ path }) => path.endsWith(sessionSuffix) && !clientOutput.test(path),
  ).length;
  if (logs === 0) return;
  yield fault(join(projects, slug, name), `${logs} *.jsonl where the client keeps none: not read`);
}

/** Output of tools, and the journals of workflows. */
const clientOutput = /\/(?:tool-results|workflows)\//;

type SessionFolder = {
  readonly agents: Iterable<SessionFiles>;
  readonly sidecars: readonly SidecarFile[];
};
const emptyFolder: SessionFolder = { agents: [], sidecars: [] };

/**
 * Everything in the folder of one session: its agents, and the files that are not sessions.
 */
function* discoverSessionFolder(
  projects: string,
  slug: string,
  session: string,
): Generator<FaultEvent, SessionFolder> {
  const agents: Agent[] = [];
  const sidecars: SidecarFile[] = [];
  const open = [session];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const folder = join(projects, slug, path);
    const entries = yield* listFolder(origin, folder, projects);
    const names = new Set(entries.filter(isFile).map(({ name }) => name));
    const isAgentFolder = session === agentsFolder || path.split("/")[1] === agentsFolder;
    for (const entry of entries) {
      const place = { file: join(folder, entry.name), path: `${path}/${entry.name}` };
      const isAgent = isAgentFolder && isAgentFile(entry.name);
      if (isFolder(entry)) {
        if (isAgent) yield fault(place.file, "a folder, not a file");
        else open.push(place.path);
      } else if (isAgent) {
        agents.push([place.path, names.has(descriptorOf(entry.name))]);
      } else if (isAgentFolder && unfinishedDescriptor.test(entry.name)) {
        if (!names.has(entry.name.replace(unfinishedDescriptor, agentSuffix))) {
          const reason = "what describes an agent, not written to its end: not stored";
          yield { ...fault(place.file, reason), isLeftover: true };
        }
      } else if (!isAgentFolder || !isDescriptorBesideLog(entry.name, names)) {
        sidecars.push(place);
      }
    }
  }
  return { agents: filesOfAgents(agents, join(projects, slug)), sidecars };
}

/** The path of an agent's log below its project folder, and whether its descriptor is beside it. */
type Agent = readonly [path: string, isDescribed: boolean];

/** A session may have tens of thousands of agents, so what is said of each is made in its turn. */
function* filesOfAgents(agents: Iterable<Agent>, folder: string): Generator<SessionFiles> {
  for (const [path, isDescribed] of agents) {
    const meta = descriptorOf(path);
    const sidecars = isDescribed ? [{ file: join(folder, meta), path: meta }] : [];
    yield { kind: "files", key: `${basename(folder)}/${path}`, file: join(folder, path), sidecars };
  }
}

function descriptorOf(log: string): string {
  return `${log.slice(0, -sessionSuffix.length)}${agentSuffix}`;
}

function isAgentFile(name: string): boolean {
  return name.startsWith(agentPrefix) && name.endsWith(sessionSuffix);
}

/** The client writes a descriptor under such a name first, and then renames it. */
const unfinishedDescriptor = /\.meta\.json\.tmp\.[0-9a-f]{8}$/;

/** True for the descriptor of an agent whose log is beside it. */
function isDescriptorBesideLog(name: string, names: ReadonlySet<string>): boolean {
  return (
    name.endsWith(agentSuffix) && names.has(`${name.slice(0, -agentSuffix.length)}${sessionSuffix}`)
  );
}

/** The files of the session at `key`; undefined if its main file is gone. */
export function filesOf(projects: string, key: string): SessionFiles | undefined {
  const path = sessionPath(key);
  if (path === undefined) return undefined;
  const file = join(projects, ...key.split("/"));
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  return { kind: "files", key, file, sidecars: sidecarsOf(projects, path) };
}

function sidecarsOf(projects: string, { slug, name, root, isOldAgent }: SessionPath) {
  // Checked first, because most have none and a failing call costs more than this one.
  const isMain = root === undefined && !isOldAgent;
  const place = isMain ? name : `${name}${agentSuffix}`;
  const file = join(projects, slug, place);
  // Links are not followed: the listing reports them, and they may lead to anything.
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!isMain) return stats?.isFile() ? [{ file, path: place }] : [];
  return stats?.isDirectory()
    ? withoutFaults(discoverSessionFolder(projects, slug, name)).sidecars
    : [];
}

const isFolder = (entry: FolderEntry): boolean => entry.isDirectory();
const isFile = (entry: FolderEntry): boolean => entry.isFile();
